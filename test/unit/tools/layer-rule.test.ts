import { beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');

const REFUSED = [
  [
    'api from temporal',
    'api/clock.ts',
    "import '../temporal/contract/upload';",
    'house/layers: api/ may not import temporal/contract/upload',
  ],
  [
    'api from n8n',
    'api/clock.ts',
    "import 'n8n-workflow';",
    'house/layers: api/ may not import the package n8n-workflow',
  ],
  [
    'api from above, re-exported',
    'api/clock.ts',
    "export * from '../settings/settings';",
    'house/layers: api/ may not import settings',
  ],
  [
    'api from above, as a type',
    'api/clock.ts',
    "import type { A } from '../cli/context';",
    'house/layers: api/ may not import cli/context',
  ],
  [
    'api from above, at run time',
    'api/clock.ts',
    "await import('../cli/context');",
    'house/layers: api/ may not import cli/context',
  ],
  [
    'the simulator from api',
    'simulator/options.ts',
    "import '../api/login/signing';",
    'house/layers: simulator/ may not import api/login/signing',
  ],
  [
    'temporal from the CLI',
    'temporal/seal.ts',
    "import '../cli/context';",
    'house/layers: temporal/ may not import cli/context',
  ],
  [
    'the client from activities',
    'temporal/client/connect.ts',
    "import type { A } from '../activities/create-activities';",
    'house/layers: temporal/client/ may not import temporal/activities/create-activities',
  ],
  [
    'the CLI from activities',
    'cli/context.ts',
    "import type { A } from '../temporal/activities/create-activities';",
    'house/layers: cli/ may not import temporal/activities/create-activities',
  ],
  [
    'the files of a batch from activities',
    'temporal/batch/batch-files.ts',
    "import type { A } from '../activities/create-activities';",
    'house/layers: temporal/batch/ may not import temporal/activities/create-activities',
  ],
  [
    'a workflow from the files of a batch, not as a type',
    'temporal/workflows/index.ts',
    "import { readPlan } from '../batch/stored-plan';",
    'house/layers: temporal/workflows/ may import temporal/batch/stored-plan with `import type` only',
  ],
  [
    'a workflow from Node',
    'temporal/workflows/index.ts',
    "import 'node:fs';",
    'house/layers: temporal/workflows/ holds pure code: no Node built-ins (node:fs)',
  ],
  [
    'a workflow from activities, not as a type',
    'temporal/workflows/index.ts',
    "import { createActivities } from '../activities/create-activities';",
    'house/layers: temporal/workflows/ may import temporal/activities/create-activities with `import type` only',
  ],
  [
    'a workflow from the worker library',
    'temporal/workflows/index.ts',
    "import '@temporalio/worker';",
    'house/layers: temporal/workflows/ may not import the package @temporalio/worker',
  ],
  [
    'the contract from an SDK',
    'temporal/contract/upload.ts',
    "import '@temporalio/client';",
    'house/layers: temporal/contract/ may not import the package @temporalio/client',
  ],
  [
    'the environment outside settings',
    'api/clock.ts',
    'export const a = process.env;',
    'no-restricted-syntax: Only settings/ reads the environment',
  ],
  [
    'an exit outside cli/main',
    'cli/context.ts',
    'process.exit(1);',
    'no-restricted-syntax: Only cli/main.ts ends the process',
  ],
  [
    'a regular expression that is put together while the program runs',
    'api/clock.ts',
    'export const a = new RegExp(`^${"a"}`);',
    'no-restricted-syntax: Write a literal',
  ],
  [
    'a focused test',
    'test/unit/tools/layer-rule.test.ts',
    'test.only("a", () => {});',
    'no-restricted-syntax: Every test runs, always',
  ],
  [
    'a failure that nobody hears of, without a reason',
    'api/clock.ts',
    'export const a = Promise.reject(new Error()).catch(() => undefined);',
    'house/silent-catch: Say in a comment just above',
  ],
  [
    'a test that sleeps by a timer',
    'test/unit/tools/layer-rule.test.ts',
    "import { setTimeout as pause } from 'node:timers/promises';",
    'no-restricted-syntax: Wait with `until`',
  ],
  [
    'a test that sleeps by a promise of its own',
    'test/integration/worker-limits.test.ts',
    'await new Promise((done) => setTimeout(done, 100));',
    'no-restricted-syntax: Wait with `until`',
  ],
  [
    'a test that sleeps by the real clock',
    'test/integration/worker-limits.test.ts',
    'await systemClock.sleep(100);',
    'no-restricted-syntax: Wait with `until`',
  ],
  [
    'a test that looks again and again by itself',
    'test/integration/worker-limits.test.ts',
    'while (!(await isListed()));',
    'no-restricted-syntax: Wait with `until`',
  ],
] as const;

const ALLOWED = [
  ['the CLI from the API', 'cli/context.ts', "import '../api/login/signing';"],
  ['a room from itself', 'api/clock.ts', "import './upload/part-plan';"],
  ['temporal from the API', 'temporal/seal.ts', "import '../api/json';"],
  [
    'a workflow from activities, as a type',
    'temporal/workflows/index.ts',
    "import type { A } from '../activities/create-activities'; export type B = A;",
  ],
  [
    'a failure that nobody needs, with the reason',
    'api/clock.ts',
    '// It may be gone.\nexport const a = Promise.resolve(1).catch(() => undefined);',
  ],
  ['the environment in settings', 'settings/settings.ts', 'export const a = process.env;'],
] as const;

let answers: string[][] = [];

beforeAll(() => {
  const cases = [...REFUSED, ...ALLOWED].map(([, file, text]) => ({ file, text }));
  // ESLint loads its configuration as an ES module, which Jest's module system can't do.
  const output = execFileSync(process.execPath, ['tools/lint/lint-texts.mjs'], {
    cwd: ROOT,
    input: JSON.stringify(cases),
    encoding: 'utf8',
  });
  answers = JSON.parse(output) as string[][];
});

function ours(index: number): string[] {
  return (answers[index] ?? []).filter((line) => /^(house|no-restricted)/.test(line));
}

test.each(REFUSED.map(([what, , , message], index) => ({ what, message, index })))(
  'lint refuses $what',
  ({ message, index }) => {
    expect(ours(index)).toEqual([expect.stringContaining(message)]);
  },
);

test.each(ALLOWED.map(([what], index) => ({ what, index: REFUSED.length + index })))(
  'lint allows $what',
  ({ index }) => {
    expect(ours(index)).toEqual([]);
  },
);
