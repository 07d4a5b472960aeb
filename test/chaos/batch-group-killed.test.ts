import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { EventName } from '../../simulator/control/recorder';
import { accountOfBatch, completedTitles, startRows, writeRows } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';
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

describe('a batch whose worker is killed in a group', () => {
  it.each(CASES)('to $step, $moment, has every row once', async ({ event, count }) => {
    const { bed } = on;
    const name = `${event}-${String(count)}`;
    const rows = await writeRows(bed, name, ROWS);
    const from = bed.simulator.events().at(-1)?.seq ?? 0;
    const worker = await bed.startWorkerProcess();
    workers.push(worker);
    const batch = await startRows(bed, name, rows, {
      options: {
        window: ROWS,
        pageRows: ROWS,
        upload: { heartbeatMs: 3_000, startLimitMs: 2_000, startPauseMs: 100 },
      },
    });
    let found = 0;
    await bed.simulator.waitFor((one) => one.event === event && one.seq > from && (found += 1) >= count);
    await worker.kill('SIGKILL');
    workers.push(await bed.startWorkerProcess());
    expect((await batch.result()).counts).toMatchObject({ rows: ROWS, completed: ROWS });

    const titles = completedTitles(bed);
    expect(rows.map(({ id }) => titles.get(`Film ${id}`))).toEqual(rows.map(() => 1));
    const lines = await accountOfBatch(bed, name);
    for (const [index, { uploadId }] of lines.entries()) {
      const session = bed.session(uploadId);
      const file = await readFile(rows[index]?.source ?? '');
      expect(session).toMatchObject({ status: 'COMPLETED', completesAccepted: 1 });
      expect(await bed.simulator.objectSha256(session.keyName)).toBe(
        createHash('sha256').update(file).digest('hex'),
      );
    }
  });
});
