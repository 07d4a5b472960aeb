import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Repeats, type Repeat, type RepeatLimits } from '../../../../manifest/check/repeats';
import { createTempDir, type TempDir } from '../../../support/temp-dir';

let temp: TempDir;
beforeAll(async () => {
  temp = await createTempDir('repeats');
});
afterAll(() => temp.remove());

interface Found {
  readonly repeats: Repeat[];
  readonly highWaterBytes: number;
  readonly files: number;
  /** For each file that was too large for memory: into how many parts it was split. */
  readonly parts: readonly number[];
}

async function find(keys: Iterable<string>, limits: RepeatLimits): Promise<Found> {
  const folder = await mkdtemp(join(temp.path, 'keys-'));
  const repeats = new Repeats(folder, limits);
  let line = 0;
  for (const key of keys) await repeats.add(key, (line += 1), noteOf(line));
  const found: Repeat[] = [];
  for await (const repeat of repeats.found()) found.push(repeat);
  found.sort((a, b) => a.line - b.line);
  const names = await readdir(folder);
  const parted = names.filter((name) => name.endsWith('.parted'));
  const parts = await Promise.all(parted.map(async (name) => (await readdir(join(folder, name))).length));
  return { repeats: found, highWaterBytes: repeats.highWaterBytes, files: names.length, parts };
}

/** Every third line has no note. */
function noteOf(line: number): string {
  return line % 3 === 0 ? '' : `of-${String(line)}`;
}

function expectedRepeats(keys: readonly string[]): Repeat[] {
  return keys.flatMap((key, index) => {
    const first = keys.indexOf(key);
    return first === index ? [] : [{ key, line: index + 1, firstLine: first + 1, note: noteOf(index + 1) }];
  });
}

const keys = fc.array(
  fc.oneof(
    fc.stringMatching(/^[a-d]{1,2}$/),
    fc.string({ unit: 'grapheme' }).map((key) => key.replaceAll('\n', '')),
  ),
  {
    maxLength: 60,
  },
);

describe('repeated keys', () => {
  test.each<[label: string, limits: RepeatLimits]>([
    ['in memory', {}],
    ['in files', { bufferBytes: 50 }],
    ['in files that are parted again and again', { bufferBytes: 20, bucketBytes: 8 }],
  ])('are found %s, each with its note and the line of the first', async (_label, limits) => {
    await fc.assert(
      fc.asyncProperty(keys, async (all) => {
        expect((await find(all, limits)).repeats).toEqual(expectedRepeats(all));
      }),
      { numRuns: 20 },
    );
  });

  test('are found among many, while memory stays within the limits', async () => {
    const limits = { bufferBytes: 4_000, bucketBytes: 2_000 };
    const many = function* (): Generator<string> {
      for (let index = 0; index < 12_000; index += 1) yield `row-${String(index % 11_998)}`;
    };
    const { repeats, highWaterBytes, files, parts } = await find(many(), limits);
    expect(repeats).toEqual([
      { key: 'row-0', line: 11_999, firstLine: 1, note: 'of-11999' },
      { key: 'row-1', line: 12_000, firstLine: 2, note: '' },
    ]);
    expect(files).toBeGreaterThan(64);
    // The keys of one file are spread over many files again.
    const onDisk = parts.filter((count) => count > 0);
    expect(onDisk.length).toBeGreaterThan(0);
    expect(Math.min(...onDisk)).toBeGreaterThan(16);
    // The limit is noticed one key late, before the buffer goes to the files.
    expect(highWaterBytes).toBeLessThanOrEqual(limits.bufferBytes + 30);
  });

  test('leave no file if they fit into memory', async () => {
    expect((await find(['a', 'b', 'a'], {})).files).toBe(0);
  });
});
