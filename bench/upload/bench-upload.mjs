// `npm run bench:upload [-- --files 10x1,300x15,630x120]`: whole files (MB x parts) through a real Temporal server and a worker process
// into the simulator's storage: time, history events, history bytes and billable actions per file and per part.
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { writeFilm } from '../../tools/demo/demo-film.mjs';
import { Stage, freePort, serving } from '../../tools/demo/demo-stage.mjs';
import { ensureInstalled, ensureTemporalCli } from '../../tools/set-up.mjs';
import { countActions } from './count-actions.mjs';

const { values } = parseArgs({ options: { files: { type: 'string', default: '10x1,300x15,630x120' } } });

await ensureInstalled();
const temporalCli = await ensureTemporalCli();
await ensureBuilt();
const { Client, Connection } = createRequire(import.meta.url)('@temporalio/client');

const stage = new Stage();
try {
  const scene = await setScene();
  console.log(
    `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}\n`,
  );
  console.log(
    '| file | parts | transfer s | whole s | events | history KB | actions | events/part | actions/part |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  const rows = [];
  for (const file of values.files.split(',')) rows.push(await measure(scene, file));
  const first = rows[0];
  const last = rows.at(-1);
  const slope = (field) => ((last[field] - first[field]) / (last.parts - first.parts)).toFixed(2);
  if (last !== first)
    console.log(`\neach further part: ${slope('events')} events, ${slope('actions')} actions`);
} finally {
  await stage.clear();
}

async function setScene() {
  const cwd = await stage.folder();
  const env = { ...process.env };
  const port = await freePort();
  const database = path.join(cwd, 'temporal.db');
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--db-filename=${database}`,
  ];
  const server = stage.start(temporalCli, [...args, '--log-level=error'], { env, cwd, stdio: 'ignore' });
  await serving(port, server);
  env.TEMPORAL_ADDRESS = `127.0.0.1:${port}`;
  const simulator = await stage.startCommand(['simulator', '--processing-ms', '500'], { env, cwd });
  Object.assign(env, simulator.ready.environment);
  await stage.startCommand(['worker', '--log-level', 'error'], { env, cwd });
  const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS });
  return { cwd, env, client: new Client({ connection, namespace: 'default' }) };
}

async function measure(scene, file) {
  const [megabytes, parts] = file.split('x').map(Number);
  const name = `film-${file}.mp4`;
  await writeFilm(path.join(scene.cwd, name), megabytes * 1e6);
  const partSize = String(Math.ceil((megabytes * 1e6) / parts));
  const args = ['upload', name, '--wait', '--json', '--part-size', partSize];
  const result = JSON.parse(await stage.run(args, { ...scene, stdio: ['ignore', 'pipe', 'ignore'] }));
  const handle = scene.client.workflow.getHandle(result.workflowId);
  const { historyLength, historySize } = await handle.describe();
  const actions = countActions((await handle.fetchHistory()).events);
  const count = result.parts.length;
  const cells = [
    `${megabytes} MB`,
    count,
    (result.durations.transferMs / 1000).toFixed(1),
    (result.durations.totalMs / 1000).toFixed(1),
    historyLength,
    (historySize / 1000).toFixed(0),
    actions,
    (historyLength / count).toFixed(1),
    (actions / count).toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
  return { parts: count, events: historyLength, actions };
}
