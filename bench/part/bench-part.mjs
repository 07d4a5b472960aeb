// `npm run bench:part [-- --rounds 5 --mib 1024 --part-mib 64 --concurrency 4 --targets plain,tls,sink --clients
// "curl,ours with MD5"]`: one file, the same parts, every client in turn, several rounds. Ratios are calculated for
// each round, and the table shows their median.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../tools/build.mjs';
import { ensureInstalled } from '../../tools/install.mjs';
import { CLIENTS } from './clients.mjs';
import { runClient } from './run-client.mjs';
import { makeFile } from './make-file.mjs';
import { printTable } from './table.mjs';
import { startSink } from './target-sink.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    mib: { type: 'string', default: '1024' },
    'part-mib': { type: 'string', default: '64' },
    concurrency: { type: 'string', default: '4' },
    targets: { type: 'string', default: 'plain,tls,sink' },
    clients: { type: 'string' },
  },
});

const wanted = values.clients?.split(',');
const unknown = wanted?.filter((name) => !CLIENTS.some((client) => client.name === name)) ?? [];
if (unknown.length > 0) {
  const names = CLIENTS.map(({ name }) => name).join(', ');
  console.error(`No such client: ${unknown.join(', ')}. There are: ${names}.`);
  process.exit(2);
}
const clients = CLIENTS.filter((client) => wanted === undefined || wanted.includes(client.name));

await ensureInstalled();
await ensureBuilt();

// Imported late, because its packages exist only after the set-up.
const { startVersitygw } = await import('./target-versitygw.mjs');
const STARTERS = {
  plain: (folder) => startVersitygw(folder, { tls: false }),
  tls: (folder) => startVersitygw(folder, { tls: true }),
  sink: startSink,
};

const MIB = 1024 * 1024;
const job = {
  bytes: Number(values.mib) * MIB,
  partBytes: Number(values['part-mib']) * MIB,
  concurrency: Number(values.concurrency),
};
const dir = await mkdtemp(path.join(os.tmpdir(), 'bench-part-'));
let target;
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    interrupt.abort();
    void clear().finally(() => process.exit(130));
  });
try {
  Object.assign(job, await makeFile(path.join(dir, 'file.bin'), job));
  console.log(
    `${job.bytes / MIB} MiB in parts of ${job.partBytes / MIB} MiB, ${job.concurrency} at once, ${values.rounds} rounds, ` +
      `${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node}`,
  );
  for (const name of values.targets.split(',')) {
    target = await STARTERS[name](dir);
    await bench();
    await target.stop();
    target = undefined;
  }
} catch (error) {
  // After an interrupt, the process ends itself when everything is cleaned up.
  if (!interrupt.signal.aborted) throw error;
} finally {
  await clear();
}

async function clear() {
  await target?.stop();
  await rm(dir, { recursive: true, force: true });
}

async function bench() {
  const rows = new Map();
  const usable = clients.filter((client) => target.isS3 || !client.needsS3);
  for (const client of usable) {
    const reason = client.unavailable?.();
    if (reason) console.log(`left out: ${client.name} (${reason})`);
    else rows.set(client.name, []);
  }
  // Round 0 warms up the file cache, connections and just-in-time compilers, and does not count.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const client of usable.filter(({ name }) => rows.has(name))) {
      const upload = await target.begin(Math.ceil(job.bytes / job.partBytes), client);
      const figures = await runClient(client, { ...job, ...upload.job, isS3: target.isS3 }, interrupt.signal);
      const completeMs = await upload.finish(figures.eTags);
      if (figures.includesComplete && completeMs === undefined) figures.ms -= target.medianCompleteMs();
      if (round > 0) rows.get(client.name).push(figures);
    }
  }
  printTable(target.title, rows);
}
