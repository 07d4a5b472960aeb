import fc from 'fast-check';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeats } from '../../../../manifest/check/repeats';
import type { Repeat } from '../../../../manifest/check/repeats';
import { useTempDir } from '../../../support/use-temp-dir';

const temp = useTempDir('repeats');

async function find(keys: Iterable<string>, bufferBytes?: number) {
  const folder = await mkdtemp(join(temp.path, 'keys-'));
  const repeats = new Repeats(folder, bufferBytes);
  let line = 0;
  for (const key of keys) await repeats.add(key, (line += 1));
  const found = (await Array.fromAsync(repeats.found())).sort((a, b) => a.line - b.line);
  return { repeats: found, files: (await readdir(folder)).length };
}

function expectedRepeats(keys: readonly string[]): Repeat[] {
  return keys.flatMap((key, index) => {
    const first = keys.indexOf(key);
    return first === index ? [] : [{ key, line: index + 1, firstLine: first + 1 }];
  });
}

const keys = fc.array(
  fc.oneof(
    fc.stringMatching(/^[a-d]{1,2}$/),
    fc.string({ unit: 'grapheme' }).map((key) => key.replaceAll('\n', '')),
  ),
  { maxLength: 60 },
);

describe('repeated keys', () => {
  test.each([
    ['in memory', undefined],
    ['in files', 50],
  ])('are found %s, each with the line of the first', async (_label, bufferBytes) => {
    await fc.assert(
      fc.asyncProperty(keys, async (all) => {
        expect((await find(all, bufferBytes)).repeats).toEqual(expectedRepeats(all));
      }),
      { numRuns: 20 },
    );
  });

  test('are found among many, which are spread over many files if they do not fit into memory', async () => {
    const many = Array.from({ length: 12_000 }, (_, index) => `row-${String(index % 11_998)}`);
    const { repeats, files } = await find(many, 40_000);
    expect(repeats).toEqual([
      { key: 'row-0', line: 11_999, firstLine: 1 },
      { key: 'row-1', line: 12_000, firstLine: 2 },
    ]);
    expect(files).toBeGreaterThan(500);
    expect((await find(many)).files).toBe(0);
  });
});
