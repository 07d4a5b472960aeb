import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const execute = promisify(execFile);
const TOOL = join(__dirname, '../../../tools/temporal.mjs');
let holder: Server;
let port: number;

beforeEach(async () => {
  holder = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(holder, 'listening');
  port = (holder.address() as AddressInfo).port;
});
afterEach(async () => {
  holder.close();
  await once(holder, 'close');
});

test.each([
  ['--port', '--ui-port'],
  ['--ui-port', '--port'],
])('npm run temporal announces nothing if its %s is in use, and names it', async (held, other) => {
  const run = execute(process.execPath, [TOOL, held, String(port), other, '1']);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `temporal: Port ${String(port)} is in use; choose another: npm run temporal -- ${held} N\n`,
  });
});

test('two servers on two ports have a database each', async () => {
  const code = `import { temporalData } from './tools/folders.mjs';
    console.log(temporalData('7233'), temporalData('7300'));`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(__dirname, '../../..'),
  });
  const [first = '', second = ''] = stdout.trim().split(' ');
  expect([first, second].map((path) => path.split('/').at(-1))).toEqual(['temporal.db', 'temporal-7300.db']);
});
