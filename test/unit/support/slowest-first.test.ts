import { existsSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';

interface TestFile {
  readonly path: string;
  readonly context: object;
}
interface Sequencer {
  readonly files: readonly string[];
  new (options: object): { sort(tests: readonly TestFile[]): TestFile[] };
}
const SlowestFirst = jest.requireActual<Sequencer>('../../support/slowest-first.cjs');
const SLOWEST = SlowestFirst.files;

test('every file that takes longest exists, once', () => {
  expect(SLOWEST.filter((path) => !existsSync(path))).toEqual([]);
  expect(new Set(SLOWEST).size).toBe(SLOWEST.length);
});

test('they come first, and then all others from the largest to the smallest', () => {
  const bytes: Record<string, number> = { '/small.test.ts': 10, '/large.test.ts': 20 };
  const context = { config: { cache: false }, hasteFS: { getSize: (path: string) => bytes[path] ?? 1 } };
  const given = ['/small.test.ts', ...[...SLOWEST].reverse(), '/large.test.ts'];
  const sorted = new SlowestFirst({}).sort(given.map((path) => ({ path, context })));
  expect(sorted.map(({ path }) => path)).toEqual([...SLOWEST, '/large.test.ts', '/small.test.ts']);
});
