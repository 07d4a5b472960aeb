import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/pack';

const SHORT_LINES = 20;
/** Files that one file or none imports, and why they stay. */
const REASONS: Readonly<Record<string, string>> = {
  '.markdownlint-cli2.mjs': 'a setting of a tool',
  'bench/part/sink-server.mjs': 'a process of its own',
  'bench/serve-simulator.mjs': 'a process of its own',
  'temporal/worker/index.ts': 'an entry of the package',
  'temporal/worker/limit-heap.ts': 'of the process, not of a worker in it: only the command calls it',
  'temporal/workflow/index.ts': 'the entry of the workflow bundle',
  'tools/histories.mjs': 'a command of package.json',
};

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && !name.startsWith('test/'));
const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** How many files import each file. */
function importers(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of files) {
    const named = [...textOf(name).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) =>
      resolve('/', dirname(name), path).slice(1),
    );
    for (const path of new Set(named)) {
      const file = files.find((known) => known === path || known === `${path}.ts`);
      if (file !== undefined) counts.set(file, (counts.get(file) ?? 0) + 1);
    }
  }
  return counts;
}

test('a file of fewer than 20 lines serves at least two others, or has a reason', () => {
  const counts = importers();
  const alone = files.filter(
    (name) => textOf(name).split('\n').length - 1 < SHORT_LINES && (counts.get(name) ?? 0) < 2,
  );
  expect(alone.sort()).toEqual(Object.keys(REASONS));
});
