import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { ManifestMistake } from './row';

/** Enough for any header line, and to distinguish text from other content. */
const HEAD_BYTES = 64 * 1024;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** A larger row is not kept in memory. Reading ends there. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

export interface TextRecord {
  /** The line where it begins, counted from 1. CRLF, LF and a single CR each end a line, also within quotes. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface TextBytes {
  /** The first bytes, without a byte order mark; empty if there are none. */
  readonly head: Buffer;
  /** All bytes, without a byte order mark. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Reads how a file begins. Bytes that can't be UTF-8 text are a mistake, and the rest is not read. */
export async function openText(bytes: AsyncIterable<Uint8Array>): Promise<TextBytes | ManifestMistake> {
  const iterator = bytes[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const next = await iterator.next();
    if (next.done === true) break;
    // The next request may overwrite the piece.
    pieces.push(Uint8Array.from(next.value));
    length += next.value.length;
  }
  const begin = Buffer.concat(pieces);
  const head = begin.subarray(begin.subarray(0, 3).equals(UTF8_MARK) ? UTF8_MARK.length : 0);
  if (!head.includes(0)) return { head, bytes: continued(head, iterator) };
  await iterator.return?.();
  return {
    line: 1,
    message: 'the manifest is not UTF-8 text, but UTF-16, a workbook, an archive or another file',
    hint: 'Export the table as CSV in UTF-8 ("CSV UTF-8" in Excel); unpack an archive first.',
  };
}

async function* continued(
  head: Buffer,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield head;
    // The source may reuse its chunks.
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      yield Buffer.from(next.value);
  } finally {
    await iterator.return?.();
  }
}

/** The separator of a CSV: the one that occurs most in its first line, else the comma. */
export function guessSeparator(head: Uint8Array): Separator {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8');
  const first = text.split(/[\r\n]/).find((line) => /[^\s,;]/.test(line) && !isSeparatorLine(line)) ?? '';
  const count = (separator: Separator): number => first.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** Excel reads the separator from a first line `sep=;`, and other programs write it for Excel. */
export function isSeparatorLine(line: string): boolean {
  return /^"?sep=[,;\t]?"?$/i.test(line.trim());
}

/** Yields each line of a text as one cell. */
export async function* textLines(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<TextRecord | ManifestMistake> {
  for await (const item of textRecords(bytes, '\0', null)) {
    yield 'cells' in item ? { ...item, cells: [item.cells.join('\0')] } : item;
  }
}

/**
 * Cuts a text into records of cells. A record that is not UTF-8 is a mistake with its line. A quote that is never
 * closed, or a record that is too long, is a mistake too, and ends the text. Memory: one record.
 */
export async function* textRecords(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  quote: '"' | null = '"',
): AsyncGenerator<TextRecord | ManifestMistake> {
  const end = { isOpen: false, isTooLong: false };
  const parser = parse({
    ...{ delimiter, quote, escape: quote, relax_quotes: true, relax_column_count: true },
    encoding: null,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_records_with_error: true,
    on_skip: () => void (end.isOpen = true),
  });
  async function* limited(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    for await (const chunk of bytes) {
      end.isTooLong = sent - parser.info.bytes_records > MAX_ROW_BYTES;
      if (end.isTooLong) return;
      sent += chunk.length;
      yield chunk;
    }
  }
  const source = Readable.from(limited()).once('error', (error) => parser.destroy(error));
  let line = 1;
  let held: readonly Buffer[] | undefined;
  try {
    for await (const cells of source.pipe(parser) as AsyncIterable<Buffer[]>) {
      if (held !== undefined) yield itemOf(line, held);
      line += held === undefined ? 0 : linesOf(held);
      held = cells;
    }
    // The start of a record that is too long is not one.
    if (held !== undefined && !(end.isTooLong && !end.isOpen)) {
      yield itemOf(line, held);
      line += linesOf(held);
    }
    if (end.isTooLong) yield { line, ...TOO_LONG };
    else if (end.isOpen) yield { line, ...NOT_CLOSED };
  } finally {
    await closed(source);
  }
}

const NO_UTF8 = {
  message: 'the row is not valid UTF-8',
  hint: 'Save the manifest as UTF-8 ("CSV UTF-8" in Excel).',
};
const TOO_LONG = {
  message: `the row has more than ${MAX_ROW_BYTES} bytes, so nothing after it was read`,
  hint: 'Look for a quote that is not closed; keep large data elsewhere and put its address into the metadata.',
};
const NOT_CLOSED = {
  message: 'the row has a quote that is never closed, so that everything below it belongs to the cell',
  hint: 'Close it; a quote within a quoted cell is written twice.',
};

function itemOf(line: number, cells: readonly Buffer[]): TextRecord | ManifestMistake {
  return cells.every((cell) => isUtf8(cell)) ? { line, cells: cells.map(String) } : { line, ...NO_UTF8 };
}

/** Lines of a record: its own, and one for each line end in a cell. */
function linesOf(cells: readonly Buffer[]): number {
  return cells.reduce(
    (lines, cell) => lines + (cell.toString('latin1').match(/\r\n|\r|\n/g)?.length ?? 0),
    1,
  );
}

/** Ends a source that may not have been read to its end. */
function closed(source: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (source.closed) resolve();
    else source.once('close', resolve).destroy();
  });
}
