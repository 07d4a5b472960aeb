import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { isRetryable } from '../../../api/retry';
import { openAppendFile, textLines } from '../../../files/append-file';
import { afterTest, tempFolder } from '../../support/after-test';
import { failureOf } from '../api/upload/failure-of';

async function linesOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  const source = (async function* () {
    yield* chunks;
  })();
  for await (const line of textLines(source)) lines.push(line);
  return lines;
}

/** Texts with characters that other readers take for line ends or a byte order mark. */
const line = fc.string({
  unit: fc.constantFrom('a', 'ä', '🎬', '\ufeff', '\u2028', '\u0085', '\r', '"'),
  minLength: 1,
  maxLength: 8,
});

test('lines are the same wherever their bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await linesOf(chunks)).toEqual(lines);
    }),
  );
});

test('a last line without an end is a line, and a text without bytes has none', async () => {
  expect(await linesOf([Buffer.from('a\nb')])).toEqual(['a', 'b']);
  expect(await linesOf([])).toEqual([]);
});

test('a file that is deleted while it grows takes no more text, and this is retried', async () => {
  const folder = await tempFolder('append');
  const file = await openAppendFile({ outputRoots: [folder] }, join(folder, 'journal'));
  afterTest(file.close);
  await file.append('one\n');
  await rm(join(folder, 'journal'));
  const failure = await failureOf(file.append('two\n'));
  expect([failure.code, isRetryable(failure)]).toEqual(['OutputFailed', true]);
});
