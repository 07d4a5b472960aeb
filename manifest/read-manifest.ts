import { readCsv } from './csv/read-csv';
import type { Separator } from './csv/separator';
import type { ManifestFormat } from './format';
import { readJsonLines } from './jsonl/read-json-lines';
import type { RowRules } from './make-row';
import type { ManifestItem } from './row';
import type { RowContext } from './row-request';
import { openText } from './text-head';

/** A larger row is refused and not kept in memory. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

export interface ReadOptions extends Omit<RowRules, 'rowContext'> {
  readonly format: ManifestFormat;
  /** Called with the separator of a CSV: comma, semicolon or tab, guessed from its header. */
  readonly onSeparator?: (separator: Separator) => void;
  /** Default: relative paths are refused. */
  readonly rowContext?: RowContext;
}

/**
 * Yields the rows of a manifest in their order. In place of a row that can't be uploaded, it yields all its mistakes.
 * No content of the bytes makes it throw. Rows must follow the rules of the interface and of batches (see `makeRow`);
 * duplicate ids are not checked here. Memory: one row. Throws what `bytes` throws; ending early ends `bytes`.
 */
export async function* readManifest(
  bytes: AsyncIterable<Uint8Array>,
  { format, onSeparator, rowContext: rowContext = {}, ...rules }: ReadOptions,
): AsyncGenerator<ManifestItem, void, undefined> {
  const text = await openText(bytes);
  if ('message' in text) {
    yield text;
    return;
  }
  const chunks =
    format === 'csv'
      ? readCsv(text, {
          ...rules,
          rowContext,
          maxRowBytes: MAX_ROW_BYTES,
          onSeparator,
        })
      : readJsonLines(text, { ...rules, rowContext, maxRowBytes: MAX_ROW_BYTES });
  let empty = true;
  for await (const items of chunks) {
    for (const item of items) {
      empty = false;
      yield item;
    }
  }
  if (empty) yield text.head.length === 0 ? EMPTY : NO_ROWS;
}

const HINT = 'Each row names a file to upload.';
const EMPTY: ManifestItem = { line: 1, message: 'the manifest is empty', hint: HINT };
const NO_ROWS: ManifestItem = { line: 1, message: 'the manifest has no rows', hint: HINT };
