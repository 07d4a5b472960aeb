/**
 * `npm run temporal`: Temporal's dev server with its web UI, keeping its data in a file of the cache folder.
 * `-- --last-demo` opens what the last `npm run demo` left, `-- --port N` and `-- --ui-port N` move it.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { parseArgs } from 'node:util';
import { cacheFolder, exists } from './folders.mjs';
import { ensureInstalled, ensureTemporalCli } from './set-up.mjs';

const OPTIONS = {
  'last-demo': { type: 'boolean', default: false },
  port: { type: 'string', default: '7233' },
  'ui-port': { type: 'string', default: '8233' },
};

async function main() {
  const { values } = parseArgs({ args: argv.slice(2), options: OPTIONS });
  const data = join(cacheFolder, values['last-demo'] ? 'demo' : 'dev', 'temporal.db');
  if (values['last-demo'] && !(await exists(data)))
    throw new Error('No demo has left its data yet: npm run demo');
  await ensureInstalled();
  const cli = await ensureTemporalCli();
  await mkdir(dirname(data), { recursive: true });
  const server = spawn(cli, serverArgs(values, data), { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill('SIGTERM'));
  server.once('spawn', () => {
    console.log(`Temporal  127.0.0.1:${values.port}`);
    console.log(`Web UI    http://127.0.0.1:${values['ui-port']}`);
    console.log(`Data      ${data}`);
    console.log('Ctrl-C stops it; the data stays.');
  });
  server.once('error', (error) => fail(error));
  server.once('close', (code) => {
    if (code)
      fail(
        new Error(`The server ended with ${code}: is port ${values.port} or ${values['ui-port']} in use?`),
      );
  });
}

function serverArgs(values, data) {
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${values.port}`,
    `--ui-port=${values['ui-port']}`,
    `--db-filename=${data}`,
    '--log-level=error',
  ];
}

function fail(error) {
  process.stderr.write(`temporal: ${error.message}\n`);
  process.exitCode = 1;
}

main().catch(fail);
