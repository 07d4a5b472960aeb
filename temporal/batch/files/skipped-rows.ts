import { given } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import { isMistake } from '../../../manifest/row';
import type { ManifestItem, ManifestMistake } from '../../../manifest/row';
import type { BatchInput, ResultLine } from '../types';

/** More wrong rows are no exceptions: the manifest is refused. */
const MAX_SKIPPED = 10_000;

/** The wrong rows of a manifest that end as failed, if the batch skips them. */
export class SkippedRows {
  /** The first mistake of each row, by line. */
  readonly #mistakes = new Map<number, ManifestMistake>();

  /** Whether the item is a mistake of a row that is skipped. A mistake of the whole manifest, or its header, is not. */
  takes(item: ManifestItem, { manifest, options }: Pick<BatchInput, 'manifest' | 'options'>): boolean {
    if (options.skipBad !== true || 'rows' in manifest || !isMistake(item)) return false;
    const { line } = item;
    if (this.#mistakes.has(line)) return true;
    const isFirstRow =
      manifest.format !== 'csv' && (item.readable !== undefined || item.column !== undefined);
    const isOfRow = line > 1 || isFirstRow;
    if (!isOfRow || this.#mistakes.size >= MAX_SKIPPED) return false;
    this.#mistakes.set(line, item);
    return true;
  }

  /** The results of these rows. They have no id of a row, so the line is their name unless the id can be read. */
  lines(round: number): ResultLine[] {
    const endedAt = new Date().toISOString();
    return [...this.#mistakes.values()].map(({ line, column, message, readable, hint }) => ({
      line,
      id: readable?.id ?? `line-${String(line)}`,
      source: shown(readable?.source ?? ''),
      status: 'FAILED',
      workflowId: '',
      attempts: 0,
      error: {
        code: 'Validation',
        message: column === undefined ? message : `${column}: ${message}`,
        ...given({ hint }),
      },
      orphans: [],
      round,
      endedAt,
    }));
  }
}

/** An http(s) URL, even if it is wrong, without its query. */
function shown(source: string): string {
  return /^\s*https?:/i.test(source) ? labelOf(source) : source;
}
