import { adviceOf } from '../../api/advice';
import { ValidationError } from '../../api/errors';

/** Collects the mistakes in a request, so that one error names all of them. */
export class RequestMistakes {
  readonly #found: ValidationError[] = [];

  /**
   * Returns the result of the check. If the check throws a `ValidationError`, keeps the error and returns undefined.
   */
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

  /**
   * Throws a single mistake unchanged. For several mistakes, throws one error on the field of the first; its fact
   * `mistakes` contains all.
   */
  refuse(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const mistakes = this.#found.map(({ message, facts }) => {
      const { field = '', problem } = facts;
      return { field, message, ...(problem === undefined ? {} : { problem }), ...adviceOf(facts) };
    });
    const lines = mistakes.map(({ field, message, problem }) =>
      problem === undefined ? `${field}: ${message}` : message,
    );
    throw new ValidationError(
      first.facts.field ?? '',
      [`${String(lines.length)} settings are wrong:`, ...lines].join('\n  '),
      { mistakes },
    );
  }
}
