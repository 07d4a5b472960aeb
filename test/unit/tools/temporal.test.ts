import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { afterTest } from '../../support/after-test';
import { listen } from '../../support/listen';

const execute = promisify(execFile);
const TOOL = join(__dirname, '../../../tools/temporal.mjs');

test.each([
  ['--port', '--ui-port'],
  ['--ui-port', '--port'],
])('npm run temporal announces nothing if its %s is in use, and names it', async (held, other) => {
  const { port, close } = await listen(createServer((socket) => socket.destroy()));
  afterTest(close);
  const run = execute(process.execPath, [TOOL, held, String(port), other, '1']);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `temporal: Port ${String(port)} is in use; choose another: npm run temporal -- ${held} N\n`,
  });
});
