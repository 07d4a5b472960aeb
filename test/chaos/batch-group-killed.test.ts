import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { EventName } from '../../simulator/control/recorder';
import { resultsOfBatch, completedTitles, startRows, writeRows } from '../support/batch-fixture';
import { useOwnTemporal } from '../support/own-temporal';
import { useUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import type { WorkerProcess } from '../support/worker-process';

/** All rows begin at once, so that each step is one group. */
const ROWS = 24;
const on = useUploadFixture({ worker: false });
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

/** Steps that must not be repeated blindly are killed at every moment. */
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
  /** The event, and how many of them pass before `kill`. */
  readonly at: { readonly event: EventName; readonly count: number };
  readonly faults?: readonly string[];
  /** Kills something, and starts it again. */
  readonly kill: () => Promise<void>;
}

/** Runs one batch through the kill. Every row must be uploaded once, with the bytes of its file. */
async function throughKill(fixture: UploadFixture, { name, at, faults = [], kill }: Killed): Promise<void> {
  const rows = await writeRows(fixture, name, ROWS);
  const from = fixture.simulator.events().at(-1)?.seq ?? 0;
  for (const fault of faults) fixture.simulator.fault(fault);
  const batch = await startRows(fixture, name, rows, {
    options: {
      parallelUploads: ROWS,
      pageRows: ROWS,
      upload: { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100 },
    },
  });
  let found = 0;
  await fixture.simulator.waitFor(
    (one) => one.event === at.event && one.seq > from && (found += 1) >= at.count,
  );
  await kill();
  expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS });

  const titles = completedTitles(fixture);
  expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
  const lines = await resultsOfBatch(fixture, name);
  expect(lines).toHaveLength(ROWS);
  for (const [index, { uploadId }] of lines.entries()) {
    const session = fixture.session(uploadId);
    const file = await readFile(rows[index]?.source ?? '');
    expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(
      createHash('sha256').update(file).digest('hex'),
    );
  }
}

describe('a batch whose worker is killed during a group', () => {
  it.each(CASES)('that is to $step, $moment, uploads every row once', async ({ event, count }) => {
    const { fixture } = on;
    const worker = await fixture.startWorkerProcess();
    workers.push(worker);
    await throughKill(fixture, {
      name: `${event}-${String(count)}`,
      at: { event, count },
      kill: async () => {
        await worker.kill('SIGKILL');
        workers.push(await fixture.startWorkerProcess());
      },
    });
  });
});

describe('a batch whose Temporal server is killed during a group, while answers of the service are lost', () => {
  const temporal = useOwnTemporal();

  it.each(CASES)('that is to $step, $moment, uploads every row once', async ({ event, count }) => {
    const { fixture } = temporal;
    workers.push(await fixture.startWorkerProcess());
    await throughKill(fixture, {
      name: `server-${event}-${String(count)}`,
      at: { event, count },
      faults: ['start-lost:2', 'complete-lost:2'],
      kill: async () => {
        await temporal.kill();
        await temporal.restart();
      },
    });
  });
});
