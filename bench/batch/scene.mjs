// The environment of all compared programs: a Temporal dev server on a file database, the simulator with its built-in
// storage, worker processes, and small files.
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { freePort, serving } from '../../tools/demo/demo-stage.mjs';
import { root } from '../../tools/folders.mjs';

const { Client, Connection } = createRequire(import.meta.url)('@temporalio/client');

/** The services for all compared programs. Callers start workers themselves if they need them. */
export async function setScene(stage, { temporalCli, simulatorOptions }) {
  const cwd = await stage.folder();
  const env = { ...process.env, MEDIA_SERVICE_HOST: 'bench' };
  const port = await freePort();
  const args = ['server', 'start-dev', '--headless', '--ip=127.0.0.1', `--port=${port}`, '--log-level=error'];
  // Otherwise SQLite waits for the disk at each write, one after the other. Databases of real servers combine their
  // writes.
  const unhurried = ['--sqlite-pragma=synchronous=off', '--sqlite-pragma=journal_mode=wal'];
  const database = [`--db-filename=${path.join(cwd, 'temporal.db')}`, ...unhurried];
  const server = stage.start(temporalCli, [...args, ...database], { env, cwd, stdio: 'ignore' });
  await serving(port, server);
  env.TEMPORAL_ADDRESS = `127.0.0.1:${port}`;
  const script = path.join(root, 'bench', 'serve-simulator.mjs');
  const simulator = await stage.startScript([script, JSON.stringify(simulatorOptions)], { env, cwd });
  Object.assign(env, simulator.ready.environment);
  const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS });
  return {
    cwd,
    env,
    server,
    simulator: simulator.child,
    client: new Client({ connection, namespace: 'default' }),
  };
}

export async function startWorkers(stage, { cwd, env }, count) {
  const workers = [];
  for (let index = 0; index < count; index += 1) {
    const { child } = await stage.startCommand(['worker', '--log-level', 'error'], { env, cwd });
    workers.push(child);
  }
  return workers;
}

/** Writes files of a few bytes each, all different, and returns their folder. */
export async function writeFiles(cwd, { files, bytes }) {
  const folder = path.join(cwd, 'files');
  await mkdir(folder);
  for (let from = 0; from < files; from += 500) {
    const numbers = Array.from({ length: Math.min(500, files - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((number) => writeFile(fileOf(folder, number), contentOf(number, bytes))));
  }
  return folder;
}

export function fileOf(folder, number) {
  return path.join(folder, `clip-${String(number).padStart(6, '0')}.mp4`);
}

/** Writes a manifest of the first files. Ids differ for each run, so that no run joins another. */
export async function writeManifest(cwd, { name, files }) {
  const manifest = path.join(cwd, `${name}.csv`);
  const rows = Array.from({ length: files }, (_, number) => `${fileOf('files', number)},${name}-${number}`);
  await writeFile(manifest, `source,id\n${rows.join('\n')}\n`);
  return manifest;
}

function contentOf(number, bytes) {
  return Buffer.alloc(bytes, `${number} `);
}
