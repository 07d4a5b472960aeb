import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const TOOLS = join(__dirname, '../../../tools');

const onNode = (...args: readonly string[]) => promisify(execFile)(process.execPath, args);

test('a suite whose system tool is missing is listed as not run, and the others count', async () => {
  const results = [
    { name: 'e2e', passed: 3, failed: 0, seconds: 9 },
    { name: 'queue', passed: 0, failed: 0, seconds: 0, missing: 'Redis is not on this machine' },
  ];
  const code = `import { printSummary } from ${JSON.stringify(join(TOOLS, 'summary.mjs'))};
    console.log(printSummary(${JSON.stringify(results)}));`;
  const { stdout } = await onNode('--input-type=module', '-e', code);
  expect(stdout.trim().split('\n')).toEqual([
    'e2e    3 passed, 0 failed  (9 s)',
    'queue  NOT RUN: Redis is not on this machine',
    '3 passed, 0 failed',
    'true',
  ]);
});

test('what failed is counted in the last line, and the exit code is 1', async () => {
  await expect(onNode(join(TOOLS, 'test.mjs'), '--suite', 'none')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/\n0 passed, 1 failed\n$/),
  });
});
