/**
 * `npm run temporal`: Temporal's dev server with its web UI. Keeps its data in a file of the cache folder. `--
 * --last-demo` opens the data of the last `npm run demo`. `-- --port N` and `-- --ui-port N` change the ports.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process, { argv } from 'node:process';
import { parseArgs } from 'node:util';
import { serving, takesConnections } from './demo/demo-stage.mjs';
import { cacheFolder, exists } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { ensure } from './set-up.mjs';

const OPTIONS = {
  'last-demo': { type: 'boolean', default: false },
  port: { type: 'string', default: '7233' },
  'ui-port': { type: 'string', default: '8233' },
};

async function main() {
  const { values } = parseArgs({ args: argv.slice(2), options: OPTIONS });
  const { port, 'last-demo': isDemo } = values;
  // Two servers must not open one file.
  const data = join(cacheFolder, isDemo ? 'demo' : 'dev', isDemo ? 'temporal.db' : `temporal-${port}.db`);
  if (isDemo && !(await exists(data))) throw new Error('No demo has left its data yet: npm run demo');
  for (const name of ['port', 'ui-port']) {
    if (await takesConnections(values[name]))
      throw new Error(`Port ${values[name]} is in use; choose another: npm run temporal -- --${name} N`);
  }
  await ensureInstalled();
  const cli = await ensure('temporal-cli');
  await mkdir(dirname(data), { recursive: true });
  const server = spawn(cli, serverArgs(values, data), { stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = () => server.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
  server.ended = new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('close', resolve);
  });
  await serving(port, server);
  console.log(`Temporal  127.0.0.1:${port}`);
  console.log(`Web UI    http://127.0.0.1:${values['ui-port']}`);
  console.log(`Data      ${data}`);
  console.log('Ctrl-C stops it; the data stays.');
  const code = await server.ended;
  if (code) throw new Error(`The server ended with ${code}.`);
}

function serverArgs(values, data) {
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${values.port}`,
    `--ui-port=${values['ui-port']}`,
    `--db-filename=${data}`,
    // At Ctrl-C, it would log every interrupted call as an error. Errors at the start are printed even without the
    // log.
    '--log-level=never',
  ];
}

main().catch((error) => {
  process.stderr.write(`temporal: ${error.message}\n`);
  process.exitCode = 1;
});
