/**
 * `npm run temporal`: Temporal's dev server with its web UI. Keeps its data in a file of the cache folder. `--
 * --last-demo` opens the data of the last `npm run demo`. `-- --port N` and `-- --ui-port N` change the ports.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { cacheFolder, exists } from './folders.mjs';
import { ensure } from './set-up.mjs';

const OPTIONS = {
  'last-demo': { type: 'boolean', default: false },
  port: { type: 'string', default: '7233' },
  'ui-port': { type: 'string', default: '8233' },
};

async function main() {
  const { port, 'ui-port': uiPort, 'last-demo': isDemo } = parseArgs({ options: OPTIONS }).values;
  // Two servers must not open one file.
  const data = join(cacheFolder, isDemo ? 'demo' : 'dev', isDemo ? 'temporal.db' : `temporal-${port}.db`);
  if (isDemo && !(await exists(data))) throw new Error('No demo has left its data yet: npm run demo');
  const cli = await ensure('temporal-cli');
  await mkdir(dirname(data), { recursive: true });
  console.log(`Data:    ${data} (Ctrl-C stops the server; the data stays)`);
  const addresses = ['--ip=127.0.0.1', `--port=${port}`, `--ui-port=${uiPort}`];
  // Otherwise it would log every call that Ctrl-C interrupts. It says itself that it can't start.
  const args = ['server', 'start-dev', ...addresses, `--db-filename=${data}`, '--log-level=never'];
  const server = spawn(cli, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
  server.once('exit', (code) => (process.exitCode = code ?? 1));
}

main().catch((error) => {
  process.stderr.write(`temporal: ${error.message}\n`);
  process.exitCode = 1;
});
