import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packages } from '../../../package-lock.json';

const ON_NODE = join(__dirname, '../../../tools/on-node.mjs');

function onNode(...args: readonly string[]) {
  return spawn(process.execPath, [ON_NODE, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('a script and what it starts run on the Node of the dev dependency', async () => {
  const script =
    "console.log(process.version); require('child_process').execSync('node --version', { stdio: 'inherit' })";
  const version = `v${packages['node_modules/node'].version}`;
  expect(await text(onNode('-e', script).stdout)).toBe(`${version}\n${version}\n`);
});

test('it ends with the exit code of the script', async () => {
  expect(await once(onNode('-e', 'process.exit(7)'), 'close')).toEqual([7, null]);
});

test('it passes a signal on, and ends by it if the script does', async () => {
  const child = onNode('-e', "console.log('ready'); setInterval(() => {}, 1000)");
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
});
