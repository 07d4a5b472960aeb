// `npm run bench:upload [-- --files 10x1,300x15,630x120,1074x16 --rounds 3 --source s3]`: uploads whole files (MB x
// parts) through a real Temporal server and a worker process into versitygw. Measures history events, history bytes,
// billable actions, and the transfer time. The transfer is shown as a ratio to only sending the same parts from the
// file to the same storage, four at once, just before. `--source s3` or `http`: the upload reads an object of the same versitygw.
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { writeFilm } from '../../tools/demo/demo-film.mjs';
import { Stage, freePort, serving } from '../../tools/demo/demo-stage.mjs';
import { root } from '../../tools/folders.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { ensure } from '../../tools/set-up.mjs';
import { CLIENTS } from '../part/clients.mjs';
import { runClient } from '../part/run-client.mjs';
import { countActions } from './count-actions.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10x1,300x15,630x120,1074x16' },
    rounds: { type: 'string', default: '3' },
    source: { type: 'string', default: 'path' },
  },
});

await ensureInstalled();
const temporalCli = await ensure('temporal-cli');
await ensureBuilt();
const { startVersitygw } = await import('../part/target-versitygw.mjs');
const { Client, Connection } = createRequire(import.meta.url)('@temporalio/client');
const BARE_PART_PATH = CLIENTS.find(({ name }) => name === 'ours with MD5');
const NEVER = new AbortController().signal;

const stage = new Stage();
let storage;
try {
  const scene = await setScene();
  console.log(
    `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}\n`,
  );
  console.log(
    '| file | parts | x bare parts (min–max) | transfer s | whole s | events | history KB | actions | events/part | actions/part |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  const rows = [];
  for (const file of values.files.split(',')) rows.push(await measure(scene, file));
  const first = rows[0];
  const last = rows.at(-1);
  const slope = (field) => ((last[field] - first[field]) / (last.parts - first.parts)).toFixed(2);
  if (last !== first)
    console.log(`\neach further part: ${slope('events')} events, ${slope('actions')} actions`);
} finally {
  await stage.clear();
  await storage?.stop();
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
  storage = await startVersitygw(cwd, { tls: false });
  const { endpoint, accessKey, secretKey, bucket } = storage;
  const options = { processingMs: 500, s3: { endpoint, accessKey, secretKey, bucket } };
  const script = path.join(root, 'bench', 'serve-simulator.mjs');
  const simulator = await stage.startScript([script, JSON.stringify(options)], { env, cwd });
  Object.assign(env, simulator.ready.environment);
  Object.assign(env, {
    MEDIA_SERVICE_S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
  });
  await stage.startCommand(['worker', '--log-level', 'error'], { env, cwd });
  const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS });
  return { cwd, env, client: new Client({ connection, namespace: 'default' }) };
}

/**
 * Each round first only sends the file's parts, then uploads the file. The first round warms up and does not count.
 */
async function measure(scene, file) {
  const [megabytes, parts] = file.split('x').map(Number);
  const bytes = megabytes * 1e6;
  const job = { bytes, partBytes: Math.ceil(bytes / parts), concurrency: 4 };
  job.file = path.join(scene.cwd, `film-${file}.mp4`);
  await writeFilm(job.file, bytes);
  const source = values.source === 'path' ? job.file : await storage.store(job.file, values.source);
  const rounds = [];
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const bareMs = await sendBare(job);
    const uploaded = await upload(scene, source, job);
    if (round > 0) rounds.push({ ...uploaded, ratio: bareMs / uploaded.transferMs });
  }
  const { transferMs, totalMs, count, events, historyBytes, actions } = rounds.at(-1);
  const ratios = rounds.map(({ ratio }) => ratio).sort((one, other) => one - other);
  const [min, median, max] = [ratios[0], ratios[ratios.length >> 1], ratios.at(-1)];
  const cells = [
    `${megabytes} MB`,
    count,
    `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`,
    (transferMs / 1000).toFixed(1),
    (totalMs / 1000).toFixed(1),
    events,
    (historyBytes / 1000).toFixed(0),
    actions,
    (events / count).toFixed(1),
    (actions / count).toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
  return { parts: count, events, actions };
}

async function sendBare(job) {
  const { job: urls, finish } = await storage.begin(Math.ceil(job.bytes / job.partBytes), BARE_PART_PATH);
  const { ms, eTags } = await runClient(BARE_PART_PATH, { ...job, ...urls, isS3: true }, NEVER);
  await finish(eTags);
  return ms;
}

async function upload({ cwd, env, client }, source, { partBytes }) {
  const args = ['upload', source, '--again', '--wait', '--json', '--part-size', String(partBytes)];
  const result = JSON.parse(await stage.run(args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] }));
  if (result.joined) throw new Error(`${source} was not uploaded again`);
  const handle = client.workflow.getHandle(result.workflowId);
  const { historyLength, historySize } = await handle.describe();
  const { events } = await handle.fetchHistory();
  return {
    totalMs: result.durationMs,
    transferMs: transferMsIn(events),
    count: result.parts.length,
    events: historyLength,
    historyBytes: historySize,
    actions: countActions(events),
  };
}

/** From the first part's activity to the end of the last one. */
function transferMsIn(events) {
  const isSending = (id) =>
    events[Number(id) - 1].activityTaskScheduledEventAttributes.activityType.name === 'sendParts';
  const times = events.flatMap(({ eventId, eventTime, ...more }) => {
    const ended = more.activityTaskCompletedEventAttributes?.scheduledEventId;
    const scheduled = more.activityTaskScheduledEventAttributes ? eventId : ended;
    return scheduled && isSending(scheduled)
      ? [Number(eventTime.seconds) * 1000 + eventTime.nanos / 1e6]
      : [];
  });
  return Math.max(...times) - Math.min(...times);
}
