import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventName } from '../../simulator/control/recorder';
import { accountOfBatch, completedTitles, startRows, writeRows } from '../support/batch-bed';
import type { TempDir } from '../support/temp-dir';
import { createTempDir } from '../support/temp-dir';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { openUploadBed, useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';
import type { WorkerProcess } from '../support/worker-process';

/** All rows begin at once, so that each step is one group. */
const ROWS = 24;
const on = useUploadBed({ worker: false });
let workers: WorkerProcess[] = [];
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
  workers = [];
});

const MOMENTS = {
  'at its first input': 1,
  'between two inputs': ROWS / 2,
  'at its last input, before its answer': ROWS,
} as const;
const EVERY_MOMENT = [
  'at its first input',
  'between two inputs',
  'at its last input, before its answer',
] as const;

interface Case {
  readonly step: string;
  readonly event: EventName;
  readonly moments: readonly (keyof typeof MOMENTS)[];
}

/** What must not be repeated blindly is killed at every moment. */
const STEPS: readonly Case[] = [
  { step: 'start', event: 'started', moments: EVERY_MOMENT },
  { step: 'send parts', event: 'part-stored', moments: ['between two inputs'] },
  { step: 'complete', event: 'complete-accepted', moments: EVERY_MOMENT },
  { step: 'poll', event: 'session-ended', moments: ['between two inputs'] },
];
const CASES = STEPS.flatMap(({ moments, ...step }) =>
  moments.map((moment) => ({ ...step, moment, count: MOMENTS[moment] })),
);

interface Killed {
  readonly name: string;
  /** The event, and how many of it pass before `kill`. */
  readonly at: { readonly event: EventName; readonly count: number };
  readonly faults?: readonly string[];
  /** Kills something, and brings it back. */
  readonly kill: () => Promise<void>;
}

/** Runs one batch through the kill; every row must be uploaded once, and its bytes be those of its file. */
async function throughKill(bed: UploadBed, { name, at, faults = [], kill }: Killed): Promise<void> {
  const rows = await writeRows(bed, name, ROWS);
  const from = bed.simulator.events().at(-1)?.seq ?? 0;
  for (const fault of faults) bed.simulator.fault(fault);
  const batch = await startRows(bed, name, rows, {
    options: {
      window: ROWS,
      pageRows: ROWS,
      upload: { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100 },
    },
  });
  let found = 0;
  await bed.simulator.waitFor((one) => one.event === at.event && one.seq > from && (found += 1) >= at.count);
  await kill();
  expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS });

  const titles = completedTitles(bed);
  expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  const lines = await accountOfBatch(bed, name);
  expect(lines).toHaveLength(ROWS);
  for (const [index, { uploadId }] of lines.entries()) {
    const session = bed.session(uploadId);
    const file = await readFile(rows[index]?.source ?? '');
    expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
    expect(await bed.simulator.objectSha256(session.keyName)).toBe(
      createHash('sha256').update(file).digest('hex'),
    );
  }
}

describe('a batch whose worker is killed in a group', () => {
  it.each(CASES)('to $step, $moment, has every row once', async ({ event, count }) => {
    const { bed } = on;
    const worker = await bed.startWorkerProcess();
    workers.push(worker);
    await throughKill(bed, {
      name: `${event}-${String(count)}`,
      at: { event, count },
      kill: async () => {
        await worker.kill('SIGKILL');
        workers.push(await bed.startWorkerProcess());
      },
    });
  });
});

describe('a batch whose Temporal server is killed in a group, while answers of the service are lost', () => {
  let data: TempDir;
  let server: TemporalServer;
  let bed: UploadBed;
  const dbFile = (): string => join(data.path, 'temporal.db');
  beforeAll(async () => {
    data = await createTempDir('temporal');
    server = await startTemporalServer({ dbFile: dbFile() });
    bed = await openUploadBed({ temporal: { address: server.address, namespace: server.namespace } });
  });
  afterAll(async () => {
    await bed.close();
    await server.stop();
    await data.remove();
  });

  it.each(CASES)('to $step, $moment, has every row once', async ({ event, count }) => {
    workers.push(await bed.startWorkerProcess());
    await throughKill(bed, {
      name: `server-${event}-${String(count)}`,
      at: { event, count },
      faults: ['start-lost:2', 'complete-lost:2'],
      kill: async () => {
        await server.kill('SIGKILL');
        server = await startTemporalServer({ port: server.port, dbFile: dbFile() });
      },
    });
  });
});
