import { MediaServiceError } from '../api/errors';
import type { ManifestMistake } from './row';

/** How many mistakes are named. The message always says the number of all mistakes. */
const MAX_NAMED = 10;

const FIX_IT = 'Fix the manifest, and start it again.';
const ALL_MISTAKES = '`media-service batches check` names all mistakes.';

/** Collects the mistakes of a manifest in constant memory. */
export class Mistakes {
  count = 0;
  readonly #named: string[] = [];
  #hint: string | undefined;

  add({ line, column, message, hint }: ManifestMistake): void {
    this.count += 1;
    this.#hint ??= hint;
    if (this.#named.length >= MAX_NAMED) return;
    this.#named.push(
      `line ${String(line)}${column === undefined ? '' : `, ${column}`}: ${message.replace(/\.$/, '')}`,
    );
  }

  /**
   * If there are mistakes, throws a `Validation` error on `manifest` that names the first ones by line, with the first
   * advice.
   */
  refuse(): void {
    if (this.count === 0) return;
    const more = this.count - this.#named.length;
    throw new MediaServiceError(
      'Validation',
      `The manifest has ${String(this.count)} ${this.count === 1 ? 'mistake' : 'mistakes'}: ${this.#named.join('; ')}` +
        `${more > 0 ? `; and ${String(more)} more` : ''}.`,
      {
        field: 'manifest',
        details: { mistakes: this.count },
        hint: ['Nothing was uploaded.', this.#hint ?? FIX_IT, ...(more > 0 ? [ALL_MISTAKES] : [])].join(' '),
      },
    );
  }
}

/** Makes the mistake for the later of two rows with the same id. */
export function repeatedId(id: string, line: number, firstLine: number): ManifestMistake {
  return {
    line,
    column: 'id',
    message: `the id "${id}" is already in line ${String(firstLine)}`,
    hint: 'Give each row its own id. Rows without ids that have the same values are one upload: remove all but one.',
  };
}
