import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/pack';

const SUMMARY = resolve(__dirname, '..', '..', '..', 'tools', 'summary.mjs');

async function runs(call: string): Promise<string[]> {
  const code = `import * as summary from ${JSON.stringify(SUMMARY)}; console.log(summary.${call});`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  return stdout.trim().split('\n');
}

test('a suite whose system tool is missing is listed as not run, and the others count', async () => {
  const results = [
    { name: 'e2e', passed: 3, failed: 0, seconds: 9 },
    { name: 'queue', passed: 0, failed: 0, seconds: 0, missing: 'Redis is not on this machine' },
  ];
  expect(await runs(`printSummary(${JSON.stringify(results)})`)).toEqual([
    'e2e    3 passed, 0 failed  (9 s)',
    'queue  NOT RUN: Redis is not on this machine',
    '3 passed, 0 failed',
    'true',
  ]);
});

test('each failure is listed before the suites, by file and test', async () => {
  const failed = (fullName: string, text: string): object => ({
    ...{ status: 'failed', fullName },
    failureMessages: [`Error: \u001b[31m${text}\u001b[39m\n\n    at look (until.ts:20:24)`],
  });
  const report = {
    testResults: [
      {
        ...{ name: join(ROOT, 'test', 'a.test.ts'), status: 'failed', message: '' },
        assertionResults: [
          failed('sends parts', 'no\nport'),
          failed('reads', 'late'),
          { status: 'passed', fullName: 'pins', failureMessages: [] },
        ],
      },
      { name: join(ROOT, 'b.test.ts'), status: 'failed', message: 'Syntax Error', assertionResults: [] },
      { name: join(ROOT, 'c.test.ts'), status: 'passed', message: '', assertionResults: [] },
    ],
  };
  const results = `[{ name: 'unit', passed: 1, failed: 3, seconds: 9, failures: summary.failuresOf(${JSON.stringify(report)}) }]`;
  expect(await runs(`printSummary(${results})`)).toEqual([
    'FAILED test/a.test.ts: sends parts: Error: no port',
    'FAILED test/a.test.ts: reads: Error: late',
    'FAILED b.test.ts: the file: Syntax Error',
    'unit  1 passed, 3 failed  (9 s)',
    '1 passed, 3 failed',
    'false',
  ]);
});
