import { MediaServiceError } from '../api/errors';
import type { ManifestMistake } from './row';

/** What is wrong is named this often; the number of all mistakes is always told. */
const MOST_NAMED = 10;

/** What is wrong with a manifest, in constant memory. */
export class Mistakes {
  count = 0;
  readonly #named: string[] = [];
  #hint: string | undefined;

  add({ line, column, message, hint }: ManifestMistake): void {
    this.count += 1;
    this.#hint ??= hint;
    if (this.#named.length >= MOST_NAMED) return;
    this.#named.push(
      `line ${String(line)}${column === undefined ? '' : `, ${column}`}: ${message.replace(/\.$/, '')}`,
    );
  }

  /** Throws a `Validation` error on `manifest` that names the first mistakes by line, and what to do about the first of them, where there are any. */
  refuse(): void {
    if (this.count === 0) return;
    const more = this.count - this.#named.length;
    const remedy = this.#hint ?? 'Mend the manifest, and start it again.';
    throw new MediaServiceError(
      'Validation',
      `The manifest has ${String(this.count)} ${this.count === 1 ? 'mistake' : 'mistakes'}: ${this.#named.join('; ')}` +
        `${more > 0 ? `; and ${String(more)} more` : ''}.`,
      {
        field: 'manifest',
        details: { mistakes: this.count },
        hint: `Nothing was uploaded. ${remedy}${more > 0 ? ' `media-service batch check` names them all.' : ''}`,
      },
    );
  }
}

/** Of the later one of two rows with the same id. */
export function repeatedId(id: string, line: number, firstLine: number): ManifestMistake {
  return { line, column: 'id', message: `the id "${id}" stands in line ${String(firstLine)} already` };
}
