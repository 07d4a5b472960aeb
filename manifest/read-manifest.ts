import { readCsv } from './csv/read-csv';
import type { Separator } from './csv/separator';
import type { ManifestFormat } from './format';
import { readJsonLines } from './jsonl/read-json-lines';
import type { RowRules } from './make-row';
import type { ManifestItem } from './row';
import type { RowPlace } from './row-request';
import { openText } from './text-head';

/** A row of more bytes is refused, and not held in memory. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;

export interface ReadOptions extends Omit<RowRules, 'place'> {
  readonly format: ManifestFormat;
  /** Between the cells of a CSV. Default: comma, semicolon or tab, as its first line tells. */
  readonly separator?: Separator;
  /** Told what the first line of a CSV tells, where `separator` is not given. */
  readonly onSeparator?: (separator: Separator) => void;
  /** Default: relative paths are refused. */
  readonly place?: RowPlace;
}

/**
 * The rows of a manifest in their order, and in the place of each that cannot be uploaded all that is wrong with it: never throws for
 * what the bytes hold. Rows keep the interface's rules and those of batches (see `makeRow`); that ids differ is not looked at here. Memory:
 * one row. Throws what `bytes` throws; ending early ends `bytes`.
 */
export async function* readManifest(
  bytes: AsyncIterable<Uint8Array>,
  { format, separator, onSeparator, place = {}, ...rules }: ReadOptions,
): AsyncGenerator<ManifestItem, void, undefined> {
  const text = await openText(bytes);
  if ('message' in text) {
    yield text;
    return;
  }
  const chunks =
    format === 'csv'
      ? readCsv(text, { ...rules, place, maxRowBytes: MAX_ROW_BYTES, separator, onSeparator })
      : readJsonLines(text, { ...rules, place, maxRowBytes: MAX_ROW_BYTES });
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
