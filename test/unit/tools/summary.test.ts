import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const SUMMARY = resolve(__dirname, '..', '..', '..', 'tools', 'summary.mjs');

test('a suite whose system tool is missing is listed as not run, and the others count', async () => {
  const results = [
    { name: 'e2e', passed: 3, failed: 0, seconds: 9 },
    { name: 'queue', passed: 0, failed: 0, seconds: 0, missing: 'Redis is not on this machine' },
  ];
  const code = `import { printSummary } from ${JSON.stringify(SUMMARY)}; console.log(printSummary(${JSON.stringify(results)}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  expect(stdout.trim().split('\n')).toEqual([
    'e2e    3 passed, 0 failed  (9 s)',
    'queue  NOT RUN: Redis is not on this machine',
    '3 passed, 0 failed',
    'true',
  ]);
});
