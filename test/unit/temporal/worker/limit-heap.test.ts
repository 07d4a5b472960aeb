import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MEGABYTE = 1024 * 1024;
const MODULE = join(__dirname, '../../../../temporal/worker/limit-heap.ts');

/** Allocates objects that survive some collections, and prints the size of their space. */
const PROGRAM = `
  if (process.argv[1] === 'limited') limitHeap();
  const kept = [];
  for (let round = 0; round < 300; round += 1) {
    kept.push(Array.from({ length: 4000 }, (_, index) => ({ index })));
    if (kept.length > 40) kept.shift();
    await new Promise(setImmediate);
  }
  console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);`;

/** V8's flags are those of a process, so it runs in another one. */
const newSpace = async (kind: string): Promise<number> => {
  const source = (await readFile(MODULE, 'utf8')) + PROGRAM;
  const args = ['--input-type=module-typescript', '-e', source, kind];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
};

test('the space of new objects stops growing early, and without the limit it does not', async () => {
  expect(await newSpace('limited')).toBeLessThanOrEqual(32 * MEGABYTE);
  expect(await newSpace('limited')).toBeGreaterThanOrEqual(16 * MEGABYTE);
  expect(await newSpace('unlimited')).toBeGreaterThan(32 * MEGABYTE);
});
