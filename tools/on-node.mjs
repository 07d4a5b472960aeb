/**
 * `node tools/on-node.mjs SCRIPT …`: runs a script on the project's Node, whatever Node this is, and ends as it does.
 * npm and everything else that the script starts run on that Node, too.
 */
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import process, { argv } from 'node:process';
import { ensureNode } from './set-up/node.mjs';

try {
  const node = await ensureNode();
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const child = spawn(node, argv.slice(2), { stdio: 'inherit', env: { ...process.env, PATH } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', fail);
  child.once('close', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
} catch (error) {
  fail(error);
}

function fail(error) {
  process.stderr.write(`on-node: ${error.message}\n`);
  process.exitCode = 1;
}
