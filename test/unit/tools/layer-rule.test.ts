import { beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');

const ACTIVITIES = 'temporal/upload/activities';
const typeOf = (file: string): string => `import type { A } from '${file}/upload/activities';`;
const WAIT = 'no-restricted-syntax: Wait with `until`';

/** The text of a file, and what lint says of it. */
const REFUSED: readonly (readonly [file: string, text: string, message: string])[] = [
  ...(
    [
      ['api/clock.ts', "import '../temporal/upload/types';", 'import temporal/upload/types'],
      ['api/clock.ts', "import 'n8n-workflow';", 'import the package n8n-workflow'],
      ['api/clock.ts', "export * from '../settings/settings';", 'import settings'],
      ['api/clock.ts', "import type { A } from '../cli/context';", 'import cli/context'],
      ['api/clock.ts', "await import('../cli/context');", 'import cli/context'],
      ['api/clock.ts', "import type { A } from '../files/files';", 'import files/files'],
      [
        'api/clock.ts',
        "import { readFile } from 'node:fs/promises';",
        'import the Node built-in node:fs/promises',
      ],
      ['simulator/options.ts', "import '../api/login/signing';", 'import api/login/signing'],
      ['temporal/seal.ts', "import '../cli/context';", 'import cli/context'],
      ['temporal/client/connect.ts', typeOf('..'), `import ${ACTIVITIES}`],
      ['cli/context.ts', typeOf('../temporal'), `import ${ACTIVITIES}`],
      ['temporal/batch/files/batch-files.ts', typeOf('../..'), `import ${ACTIVITIES}`],
      ['temporal/workflow/index.ts', "import '@temporalio/worker';", 'import the package @temporalio/worker'],
    ] as const
  ).map(([file, text, what]) => [file, text, `house/layers: ${roomOf(file)}/ may not ${what}`] as const),
  ...['batch/files/stored-plan', 'upload/activities'].map((name) => {
    const message = `house/layers: temporal/workflow/ may import temporal/${name} with \`import type\` only`;
    return ['temporal/workflow/index.ts', `import { a } from '../${name}';`, message] as const;
  }),
  [
    'temporal/upload/types.ts',
    "import '@temporalio/client';",
    'house/layers: temporal/upload/types/ may not import the package @temporalio/client',
  ],
  [
    'temporal/workflow/index.ts',
    "import 'node:fs';",
    'house/layers: temporal/workflow/ may not import the Node built-in node:fs',
  ],
  [
    'api/clock.ts',
    'export const a = process.env;',
    'no-restricted-syntax: Only settings/ and cli/main.ts read the environment',
  ],
  ['cli/context.ts', 'process.exit(1);', 'no-restricted-syntax: Only cli/main.ts ends the process'],
  ['api/clock.ts', 'export const a = new RegExp(`^${"a"}`);', 'no-restricted-syntax: Write a literal'],
  ['test/unit/a.test.ts', 'test.only("a", () => {});', 'no-restricted-syntax: Every test runs, always'],
  [
    'api/clock.ts',
    'export const a = Promise.reject(new Error()).catch(() => undefined);',
    'house/silent-catch: Say in a comment just above',
  ],
  ['test/unit/a.test.ts', "import { setTimeout as pause } from 'node:timers/promises';", WAIT],
  ['test/integration/a.test.ts', 'await new Promise((done) => setTimeout(done, 100));', WAIT],
  ['test/integration/a.test.ts', 'await systemClock.sleep(100);', WAIT],
  ['test/integration/a.test.ts', 'while (!(await isListed()));', WAIT],
];

const ALLOWED = [
  ['cli/context.ts', "import '../api/login/signing';"],
  ['api/clock.ts', "import './upload/part-plan';"],
  ['api/clock.ts', "import { createHash } from 'node:crypto';"],
  ['files/files.ts', "import '../api/upload/sources/source';"],
  ['temporal/seal.ts', "import '../api/json';"],
  ['temporal/workflow/index.ts', `${typeOf('..')} export type B = A;`],
  ['api/clock.ts', '// It may be gone.\nexport const a = Promise.resolve(1).catch(() => undefined);'],
  ['settings/settings.ts', 'export const a = process.env;'],
] as const;

/** `temporal/client` of `temporal/client/connect.ts`. */
function roomOf(file: string): string {
  return file.split('/').slice(0, -1).join('/');
}

let answers: string[][] = [];

beforeAll(() => {
  const cases = [...REFUSED, ...ALLOWED].map(([file, text]) => ({ file, text }));
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

test.each(REFUSED.map((refused, index) => [...refused, index] as const))(
  'in %s, lint refuses %j',
  (_file, _text, message, index) => {
    expect(ours(index)).toEqual([expect.stringContaining(message)]);
  },
);

test.each(ALLOWED.map((allowed, index) => [...allowed, REFUSED.length + index] as const))(
  'in %s, lint allows %j',
  (_file, _text, index) => {
    expect(ours(index)).toEqual([]);
  },
);
