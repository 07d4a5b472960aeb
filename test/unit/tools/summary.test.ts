import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/pack';
import { printedBy } from './printed-by';

test('a suite whose system tool is missing is listed as not run, and the others count', async () => {
  const results = [
    { name: 'e2e', passed: 3, failed: 0, seconds: 9 },
    { name: 'queue', passed: 0, failed: 0, seconds: 0, missing: 'Redis is not on this machine' },
  ];
  const code = `import { printSummary } from './tools/summary.mjs';
    console.log(printSummary(${JSON.stringify(results)}));`;
  expect((await printedBy(code)).split('\n')).toEqual([
    'e2e    3 passed, 0 failed  (9 s)',
    'queue  NOT RUN: Redis is not on this machine',
    '3 passed, 0 failed',
    'true',
  ]);
});

test('what failed is counted in the last line, and the exit code is 1', async () => {
  const args = [join(ROOT, 'tools', 'test.mjs'), '--suite', 'none'];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\n0 passed, 1 failed\n$/),
  });
});
