// `node bench/batch/extrapolate.mjs [--figures FILE] [--files 10000000 --workers 8 …]`: calculates the cost of any
// number of files on any fleet, and which resource is exhausted first. Uses the cost of one file, as `npm run
// bench:batch -- --figures FILE` measured it.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loginsPerHour, saturation } from './saturation.mjs';

/** One small file in a batch of 5,000, from bench/README.md. */
const MEASURED = {
  eventsPerFile: 0.5,
  actionsPerFile: 0.08,
  bytesPerFile: 2_100,
  uploadSeconds: 1.2,
  cpu: { workers: 0.0052, server: 0.0015 },
};
/** A file above the maximum size for groups has its own workflow, besides its groups of parts. */
const OWN_WORKFLOW = { events: 36, actions: 8, bytes: 10_000 };

/** Size of a group of parts, and the maximum cost of each further group, as bench:upload measured it. */
const GROUP_BYTES = 64 * 1024 * 1024;
const GROUP = { events: 6, actions: 1 };

const { values } = parseArgs({
  options: {
    figures: { type: 'string' },
    files: { type: 'string', default: '10000000' },
    workers: { type: 'string', default: '8' },
    'cores-per-worker': { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '2000' },
    'file-bytes': { type: 'string', default: '1000000' },
    parts: { type: 'string', default: '1' },
    // Temporal Cloud's initial limit of a namespace, which grows with its use. 0: a server of your own.
    'actions-per-second': { type: 'string', default: '500' },
    'server-cores': { type: 'string' },
    shards: { type: 'string' },
    'writes-per-shard': { type: 'string', default: '20' },
    'calls-per-second': { type: 'string' },
    // Limit of one prefix in S3.
    'puts-per-second': { type: 'string', default: '3500' },
    'storage-megabytes-per-second': { type: 'string' },
    'token-minutes': { type: 'string', default: '60' },
    'retention-days': { type: 'string', default: '7' },
  },
});
const number = (name) => (values[name] === undefined ? undefined : Number(values[name]));
const parts = number('parts');
const files = number('files');
const measured = withParts(await measuredFigures(), { parts, fileBytes: number('file-bytes') });
const limits = saturation(measured, {
  workers: number('workers'),
  coresPerWorker: number('cores-per-worker'),
  concurrency: number('concurrency'),
  fileBytes: number('file-bytes'),
  actionsPerSecond: number('actions-per-second') || undefined,
  serverCores: number('server-cores'),
  shards: number('shards'),
  writesPerShard: number('writes-per-shard'),
  callsPerSecond: number('calls-per-second'),
  storagePutsPerSecond: number('puts-per-second'),
  storageBytesPerSecond:
    values['storage-megabytes-per-second'] === undefined
      ? undefined
      : 1e6 * number('storage-megabytes-per-second'),
});
print(limits);

async function measuredFigures() {
  if (values.figures === undefined) return MEASURED;
  const largest = JSON.parse(await readFile(values.figures, 'utf8')).findLast(({ peer }) => peer === 'batch');
  if (largest === undefined) throw new Error('These figures hold no batch: measure one with --peers batch.');
  return largest;
}

function withParts(figures, { parts, fileBytes }) {
  const perFile = { ...figures, partsPerFile: parts, serviceCallsPerFile: 4 };
  if (fileBytes <= GROUP_BYTES) return perFile;
  const perGroup = Math.max(1, Math.floor(GROUP_BYTES / (fileBytes / parts)));
  const further = Math.ceil(parts / perGroup) - 1;
  return {
    ...perFile,
    eventsPerFile: figures.eventsPerFile + OWN_WORKFLOW.events + further * GROUP.events,
    actionsPerFile: figures.actionsPerFile + OWN_WORKFLOW.actions + further * GROUP.actions,
    bytesPerFile: figures.bytesPerFile + OWN_WORKFLOW.bytes,
  };
}

function print([first, ...others]) {
  console.log('| resource | has | a file takes | files/s | whole batch |');
  console.log('|---|---|---|---|---|');
  for (const { name, unit, capacity, perFile, filesPerSecond } of [first, ...others]) {
    const cells = [
      name,
      `${round(capacity)} ${unit}`,
      round(perFile),
      round(filesPerSecond),
      spanOf(files / filesPerSecond),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  const history = (files * measured.bytesPerFile) / 1e9;
  const logins = loginsPerHour({ workers: number('workers'), tokenMinutes: number('token-minutes') });
  console.log(
    `\n${first.name} saturates first: ${files} files take ${spanOf(files / first.filesPerSecond)}.`,
  );
  console.log(
    `Temporal: ${round((files * measured.eventsPerFile) / 1e6)} million events, ${round((files * measured.actionsPerFile) / 1e6)} million actions, ` +
      `${round(history)} GB of history, kept ${values['retention-days']} days after each file's end; ${Math.ceil(files / 500)} pages.`,
  );
  console.log(
    `Service: ${round((files * measured.serviceCallsPerFile) / 1e6)} million calls, ${round(logins)} logins per hour over all workers.`,
  );
}

function round(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

function spanOf(seconds) {
  if (seconds < 7200) return `${round(seconds / 60)} min`;
  return seconds < 172_800 ? `${round(seconds / 3600)} h` : `${round(seconds / 86_400)} days`;
}
