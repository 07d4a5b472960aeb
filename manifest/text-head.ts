import { adviceOf, type Advice } from '../api/advice';
import type { ManifestMistake } from './row';

/** Enough for any header line, and to distinguish text from other content. */
const HEAD_BYTES = 64 * 1024;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const AS_UTF8 = { hint: 'Save it as UTF-8 ("CSV UTF-8" in Excel).' };
const AS_CSV = { hint: 'Export the table as CSV in UTF-8.' };

/** First bytes of files that are not UTF-8 text. */
const OTHER_FILES: ReadonlyArray<Advice & { readonly begin: readonly number[]; readonly is: string }> = [
  { begin: [0xff, 0xfe], is: 'UTF-16, not UTF-8', ...AS_UTF8 },
  { begin: [0xfe, 0xff], is: 'UTF-16, not UTF-8', ...AS_UTF8 },
  { begin: [0x50, 0x4b, 0x03, 0x04], is: 'a workbook or a zip file, not text', ...AS_CSV },
  { begin: [0xd0, 0xcf, 0x11, 0xe0], is: 'an old Excel workbook, not text', ...AS_CSV },
  { begin: [0x1f, 0x8b], is: 'compressed by gzip', remedy: { kind: 'unpack-manifest' } },
];

export interface TextBytes {
  /** The first bytes, without a byte order mark; empty if there are none. */
  readonly head: Buffer;
  /** All bytes, without a byte order mark. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Checks how a file begins, and removes a byte order mark of UTF-8. Bytes that can't be UTF-8 text are a mistake, and
 * the rest is not read.
 */
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
  const mistake = noText(begin);
  if (mistake === undefined) return { head, bytes: continued(head, iterator) };
  await iterator.return?.();
  return mistake;
}

async function* continued(
  head: Buffer,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* slicesOf(head);
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield* slicesOf(next.value);
    }
  } finally {
    await iterator.return?.();
  }
}

/** Small slices, because readers keep all rows of a chunk in memory at once. */
function* slicesOf(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let from = 0; from < chunk.length; from += HEAD_BYTES) yield chunk.subarray(from, from + HEAD_BYTES);
}

function noText(begin: Buffer): ManifestMistake | undefined {
  const other = OTHER_FILES.find((one) => one.begin.every((byte, index) => begin[index] === byte));
  if (other !== undefined) {
    return { line: 1, message: `the manifest is ${other.is}`, ...adviceOf(other) };
  }
  const start = begin.subarray(0, 4096);
  const nuls = start.filter((byte) => byte === 0).length;
  if (nuls * 10 <= start.length) return undefined;
  return {
    line: 1,
    message: 'the manifest is not UTF-8 text: it is full of NUL bytes, as UTF-16 and binary files are',
    ...AS_UTF8,
  };
}
