// `node bench/batch/bench-beside.mjs [--files 10000 --uploads 15 --workers 3]`: how long a single small upload takes
// through Temporal, without and with a batch on the same workers.
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { distOfCommand } from '../../tools/folders.mjs';
import { Stage } from '../../tools/demo/demo-stage.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { ensure } from '../../tools/set-up.mjs';
import { fileOf, setScene, startWorkers, writeFiles, writeManifest } from './scene.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    uploads: { type: 'string', default: '15' },
    workers: { type: 'string', default: '3' },
  },
});
const [files, uploads] = [Number(values.files), Number(values.uploads)];
/** The first upload starts after this number of rows has ended, because then the batch runs all its kinds of steps. */
const WARM_ROWS = 500;

await ensureInstalled();
const temporalCli = await ensure('temporal-cli');
await ensureBuilt();
const dist = (file) => createRequire(import.meta.url)(path.join(distOfCommand, file));
const { connectTemporal, openBatch, startUpload } = dist('temporal/index.js');
const { accountId } = dist('api/account.js');
const { batchWorkflowId } = dist('temporal/batch/ids.js');
const { readSettings, requireAccount } = dist('settings/settings.js');

const stage = new Stage();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stage.clear().then(() => process.exit(130)));
try {
  const scene = await setScene(stage, { temporalCli, simulatorOptions: { processingMs: 0 } });
  const folder = await writeFiles(scene.cwd, { files, bytes: 1_000 });
  const account = requireAccount(readSettings(scene.env));
  await startWorkers(stage, scene, Number(values.workers));
  const connection = await connectTemporal({ address: scene.env.TEMPORAL_ADDRESS, namespace: 'default' });
  const run = { connection, account, folder, host: scene.env.MEDIA_SERVICE_HOST };
  console.log(`${os.availableParallelism()} cores, Node ${process.versions.node}\n`);
  await times(run, 'warm');
  print('alone', await times(run, 'alone'));
  const manifest = await writeManifest(scene.cwd, { name: 'beside', files });
  await stage.run(['batches', 'start', manifest, '--id', 'beside', '--json'], {
    ...scene,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const batch = openBatch(connection, batchWorkflowId(accountId(account), 'beside'));
  while ((await batch.progress()).counts.completed < WARM_ROWS);
  print('beside', await times(run, 'beside'));
  const { counts } = await batch.progress();
  console.log(
    `\nrows of the batch that ran or waited at the end: ${counts.running + counts.waiting} of ${files}`,
  );
  await batch.cancel();
  // It rejects, because it was cancelled.
  await batch.result().catch(() => undefined);
  await connection.close();
} finally {
  await stage.clear();
}

/** Seconds of each upload. Uploads run one after the other. */
async function times({ connection, account, folder, host }, name) {
  const seconds = [];
  for (let index = 0; index < uploads; index += 1) {
    const began = performance.now();
    const upload = await startUpload(connection, {
      account,
      request: {
        source: { kind: 'path', path: fileOf(folder, index), host },
        media: { title: name },
        ingestKey: `${name}-${index}`,
        options: {},
      },
    });
    await upload.result();
    seconds.push((performance.now() - began) / 1000);
  }
  return seconds.sort((a, b) => a - b);
}

function print(what, seconds) {
  const at = (share) => seconds[Math.min(seconds.length - 1, Math.floor(seconds.length * share))].toFixed(2);
  console.log(`${what.padEnd(8)} median ${at(0.5)} s, fastest ${at(0)} s, slowest ${at(1)} s`);
}
