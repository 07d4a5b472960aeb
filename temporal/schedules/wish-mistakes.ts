import { ValidationError } from '../../api/errors';

/** What is wrong with a wish, so that all of it can be told at once. */
export class WishMistakes {
  readonly #found: ValidationError[] = [];

  /** What the check gives; undefined where it throws a `ValidationError`, which is kept. */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      this.keep(error);
      return undefined;
    }
  }

  /** Keeps a `ValidationError`, throws anything else. */
  keep(error: unknown): void {
    if (!(error instanceof ValidationError)) throw error;
    this.#found.push(error);
  }

  /** Throws the one mistake as it is; of several one `ValidationError` on the first one's field, with a line for each that names its flag. */
  refuse(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const hints = this.#found.flatMap(({ facts: { field, hint } }) =>
      hint === undefined ? [] : [withFlag(field, hint)],
    );
    const messages = this.#found.map(({ facts: { field }, message }) => withFlag(field, message));
    throw new ValidationError(
      first.facts.field ?? '',
      [`${String(messages.length)} flags are wrong:`, ...messages].join('\n  '),
      hints.length === 0 ? undefined : hints.join('\n  '),
    );
  }
}

function withFlag(field = '', text: string): string {
  const flag = field.startsWith('--') ? field : `--${field}`;
  return text.includes(flag) ? text : `${flag}: ${text}`;
}
