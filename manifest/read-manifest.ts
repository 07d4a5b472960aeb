import { parseExact } from '../api/json';
import type { ManifestFormat } from './format';
import { readJsonRow } from './make-row';
import type { RowRules } from './make-row';
import { readCsv } from './read-csv';
import { isMistake } from './row';
import type { ManifestItem } from './row';
import { guessSeparator, openText, textLines } from './text-records';
import type { TextBytes } from './text-records';

export interface ReadOptions extends RowRules {
  readonly format: ManifestFormat;
}

/**
 * Yields the rows of a manifest in their order. In place of a row that can't be uploaded, it yields its first mistake.
 * No content of the bytes makes it throw. Rows must follow the rules of the interface and of batches (see `makeRow`);
 * duplicate ids are not checked here. Memory: one row. Throws what `bytes` throws; ending early ends `bytes`.
 */
export async function* readManifest(
  bytes: AsyncIterable<Uint8Array>,
  { format, ...rules }: ReadOptions,
): AsyncGenerator<ManifestItem, void, undefined> {
  const text = await openText(bytes);
  if ('message' in text) {
    yield text;
    return;
  }
  const isCsv = format === 'csv';
  let empty = true;
  for await (const item of isCsv
    ? readCsv(text, guessSeparator(text.head), rules)
    : readJsonLines(text, rules)) {
    empty = false;
    yield item;
  }
  if (empty) {
    const message = `the manifest ${text.head.length === 0 ? 'is empty' : 'has no rows'}`;
    yield { line: 1, message, hint: 'Each row names a file to upload.' };
  }
}

/** Yields rows and mistakes of a manifest with one JSON object per line. Skips blank lines. */
async function* readJsonLines(
  { bytes }: TextBytes,
  rules: RowRules,
): AsyncGenerator<ManifestItem, void, undefined> {
  for await (const item of textLines(bytes)) {
    if (isMistake(item)) yield item;
    else if (item.cells.join('').trim() !== '') yield readLine(item.line, item.cells.join(''), rules);
  }
}

function readLine(line: number, text: string, rules: RowRules): ManifestItem {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return { line, message: 'the line is not JSON', hint: 'Write one JSON object on one line.' };
  }
  return readJsonRow(line, value, rules);
}
