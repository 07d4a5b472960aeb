// `npm run bench:batch [-- --files 1000,5000,20000 --workers 2 --concurrency 256 --peers batch,script,naive --bytes
// 1000 --processing-ms 0 --latency-ms 0 --slow-every N --small-up-to BYTES]`: uploads many small files in one batch
// through a real Temporal server and several worker processes. Compares this with a plain script and a naive workflow.
import os from 'node:os';
import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { distOfCommand, root } from '../../tools/folders.mjs';
import { Stage, end } from '../../tools/demo/demo-stage.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { ensure } from '../../tools/set-up.mjs';
import { countActions } from '../upload/count-actions.mjs';
import { watchCpu } from './cpu.mjs';
import { watchMemory } from './memory.mjs';
import { setScene, startWorkers, writeFiles, writeManifest } from './scene.mjs';
import { treeCost } from './tree-cost.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000,5000,20000' },
    workers: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '256' },
    peers: { type: 'string', default: 'batch,script,naive' },
    bytes: { type: 'string', default: '1000' },
    'processing-ms': { type: 'string', default: '0' },
    'latency-ms': { type: 'string', default: '0' },
    'slow-every': { type: 'string' },
    'small-up-to': { type: 'string' },
    figures: { type: 'string' },
  },
});
const sizes = values.files.split(',').map(Number);
const [workerCount, concurrency] = [Number(values.workers), Number(values.concurrency)];
const peers = values.peers.split(',');
const smallUpTo = values['small-up-to'];
const tuning = smallUpTo === undefined ? {} : { smallFileBytes: Number(smallUpTo) };

await ensureInstalled();
const temporalCli = await ensure('temporal-cli');
await ensureBuilt();
const dist = (file) => createRequire(import.meta.url)(path.join(distOfCommand, file));
const { accountId } = dist('api/account.js');
const { controlQueue, DEFAULT_QUEUE_PREFIX } = dist('temporal/upload/types.js');
const { batchWorkflowId } = dist('temporal/batch/ids.js');
const { readSettings, requireAccount } = dist('settings/settings.js');

const stage = new Stage();
const figures = [];
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stage.clear().then(() => process.exit(130)));
try {
  const simulatorOptions = {
    processingMs: Number(values['processing-ms']),
    latencyMs: Number(values['latency-ms']),
    slowEvery: Number(values['slow-every'] ?? 0),
  };
  const scene = await setScene(stage, { temporalCli, simulatorOptions });
  const folder = await writeFiles(scene.cwd, { files: Math.max(...sizes), bytes: Number(values.bytes) });
  const account = requireAccount(readSettings(scene.env));
  console.log(
    `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}; concurrency ${concurrency}\n`,
  );
  console.log(
    '| peer | files | s | files/s | events/file | history KB/file | actions/file | MB by quarter of the time | load |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  const run = { scene, folder, account, id: accountId(account) };
  if (peers.includes('batch'))
    await withWorkers(scene, startWorkers, (workers) => eachSize((files) => batch(run, files, workers)));
  if (peers.includes('script')) await eachSize((files) => script(run, files));
  if (peers.includes('naive'))
    await withWorkers(scene, startNaiveWorkers, (workers) => eachSize((files) => naive(run, files, workers)));
  printSlope();
  printWork();
  if (values.figures !== undefined) await writeFile(values.figures, `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await stage.clear();
}

async function eachSize(measure) {
  for (const files of sizes) {
    const figure = await measure(files);
    figures.push(figure);
    console.log(rowOf(figure));
  }
}

async function withWorkers(scene, start, use) {
  const workers = await start(stage, scene, workerCount);
  await use(workers);
  await Promise.all(workers.map((worker) => end(worker)));
}

async function startNaiveWorkers(_stage, { cwd, env }, count) {
  const script = path.join(root, 'bench', 'batch', 'naive-worker.mjs');
  const workers = [];
  for (let index = 0; index < count; index += 1) {
    const worker = stage.start(process.execPath, [script], {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve, reject) => {
      worker.stdout.once('data', resolve);
      worker.ended.then((code) => reject(new Error(`A naive worker ended with ${code}.`)));
    });
    workers.push(worker);
  }
  return workers;
}

async function batch({ scene, id }, files, workers) {
  const name = `batch-${files}`;
  const manifest = await writeManifest(scene.cwd, { name, files });
  const memory = watchMemory(workers);
  const workersCpu = await watchCpu(workers);
  const serverCpu = await watchCpu([scene.server]);
  const serviceCpu = await watchCpu([scene.simulator]);
  // Does not watch the progress, because queries would add work for server and workers.
  await stage.run(
    ['batches', 'start', manifest, '--id', name, '--parallel-uploads', String(concurrency), '--json'],
    {
      ...scene,
      env: { ...scene.env, MEDIA_SERVICE_TUNING: JSON.stringify(tuning) },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const workflowId = batchWorkflowId(id, name);
  const { counts } = await scene.client.workflow.getHandle(workflowId).result();
  const { quarters, highest } = await memory();
  const cpu = {
    workers: (await workersCpu()) / files,
    server: (await serverCpu()) / files,
    service: (await serviceCpu()) / files,
  };
  const seconds = await secondsOf(scene.client, workflowId);
  const cost = await treeCost(scene.client, { batchWorkflowId: workflowId, files });
  // By Little's law: how long a row occupies its slot.
  const uploadSeconds = (concurrency * seconds) / files;
  return {
    peer: 'batch',
    files,
    seconds,
    uploadSeconds,
    done: counts.completed,
    quarters,
    highest,
    cpu,
    ...cost,
  };
}

async function script({ scene }, files) {
  const manifest = await writeManifest(scene.cwd, { name: `script-${files}`, files });
  const file = path.join(root, 'bench', 'batch', 'script-peer.mjs');
  const child = stage.start(process.execPath, [file, manifest, String(concurrency)], {
    ...scene,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const memory = watchMemory([child]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece));
  if ((await child.ended) !== 0) throw new Error('The script failed.');
  const { quarters } = await memory();
  return { peer: 'plain script', quarters, done: files, ...JSON.parse(text) };
}

async function naive({ scene, folder, account, id }, files, workers) {
  const prefix = `naive-${files}`;
  const { baseUrl, uploadUrl, externalId } = account;
  const queuePrefix = DEFAULT_QUEUE_PREFIX;
  const shared = { queuePrefix, account: { baseUrl, uploadUrl, externalId, accountId: id } };
  const inputs = { folder, host: scene.env.MEDIA_SERVICE_HOST, shared };
  const memory = watchMemory(workers);
  const handle = await scene.client.workflow.start('naiveBatch', {
    workflowId: prefix,
    taskQueue: controlQueue(queuePrefix, id),
    args: [{ files, concurrency, inputs, prefix }],
  });
  const failure = await handle.result().then(
    () => undefined,
    (error) => error.cause?.message ?? error.message,
  );
  const { quarters, highest } = await memory();
  const seconds = await secondsOf(scene.client, prefix);
  const query = `WorkflowId STARTS_WITH '${prefix}/' AND ExecutionStatus = 'Completed'`;
  const { count: done } = await scene.client.workflow.count(query);
  const { historyLength, historySize } = await handle.describe();
  const actions = countActions((await handle.fetchHistory()).events) + 2 * done;
  const upload = scene.client.workflow.getHandle(`${prefix}/0`);
  const one = await upload.describe();
  const uploadActions = countActions((await upload.fetchHistory()).events) - 1;
  return {
    peer: failure === undefined ? 'naive workflow' : `naive workflow, ended by the server after ${done}`,
    files,
    done,
    seconds,
    quarters,
    highest,
    failure,
    eventsPerFile: historyLength / done + one.historyLength,
    bytesPerFile: historySize / done + one.historySize,
    actionsPerFile: actions / done + uploadActions,
  };
}

async function secondsOf(client, workflowId) {
  const runs = [];
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run);
  const began = Math.min(...runs.map(({ startTime }) => startTime.getTime()));
  const ended = Math.max(...runs.map(({ closeTime }) => closeTime?.getTime() ?? Date.now()));
  return (ended - began) / 1000;
}

function rowOf({ peer, files, done, seconds, quarters, ...cost }) {
  const figure = (value, digits) => (value === undefined ? '–' : value.toFixed(digits));
  const cells = [
    peer,
    files,
    seconds.toFixed(1),
    (done / seconds).toFixed(1),
    figure(cost.eventsPerFile, 2),
    figure(cost.bytesPerFile === undefined ? undefined : cost.bytesPerFile / 1000, 1),
    figure(cost.actionsPerFile, 2),
    quarters.filter((megabytes) => megabytes > 0).join(', '),
    os.loadavg()[0].toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * Cost of one more file, from the smallest batch to the largest. If the cost per file grew, this slope would be above
 * the cost of a file.
 */
function printSlope() {
  const batches = figures.filter(({ peer }) => peer === 'batch').sort((a, b) => a.files - b.files);
  const [first, last] = [batches[0], batches.at(-1)];
  if (first === undefined || first === last) return;
  const slope = (field) =>
    (last[field] * last.files - first[field] * first.files) / (last.files - first.files);
  console.log(
    `\neach further file of a batch: ${slope('eventsPerFile').toFixed(2)} events, ${slope('actionsPerFile').toFixed(2)} actions, ${((1000 * (last.seconds - first.seconds)) / (last.files - first.files)).toFixed(1)} ms`,
  );
  console.log(`largest history: root ${last.root.largest}, page ${last.pages.largest} events`);
}

function printWork() {
  for (const { files, filesPerGroup } of figures.filter(({ peer }) => peer === 'batch')) {
    const steps = Object.entries(filesPerGroup).map(([step, count]) => `${step} ${count.toFixed(0)}`);
    console.log(`files per activity, batch of ${files}: ${steps.join(', ')}`);
  }
  for (const { peer, files, cpu } of figures.filter(({ cpu: measured }) => measured !== undefined)) {
    const parts = Object.entries(cpu).map(([who, seconds]) => `${(1000 * seconds).toFixed(1)} ms in ${who}`);
    console.log(`processor time of a file, ${peer} of ${files}: ${parts.join(', ')}`);
  }
}
