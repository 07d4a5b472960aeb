import { expect, test } from '@jest/globals';
import { MediaServiceError } from '../../../../../api/errors';
import { awaitPlan, type AwaitedPlan } from '../../../../../temporal/client/batch/await-plan';
import type { BatchHandle, LiveBatch } from '../../../../../temporal/client/batch/batch-handle';
import { NO_ROWS } from '../../../../../temporal/contract/batch-counts';

const PLANNING: LiveBatch = {
  phase: 'planning',
  batchId: 'harbour',
  round: 1,
  counts: NO_ROWS,
  ended: NO_ROWS,
  pages: 0,
  pagesDone: 0,
  pagesRunning: [],
  startedAt: 0,
};
const UPLOADING: LiveBatch = { ...PLANNING, phase: 'uploading', counts: { ...NO_ROWS, rows: 7, waiting: 7 } };
const OBSTACLE = { code: 'Transport', message: "S3 can't be reached" } as const;
const WAITING: LiveBatch = { ...PLANNING, waitReason: OBSTACLE };

/** The batch shows each of these from its second on. */
type Looks = readonly (readonly [fromSecond: number, look: LiveBatch | MediaServiceError])[];

async function awaited(
  looks: Looks,
  endsAfter?: MediaServiceError,
): Promise<{ readonly plan: AwaitedPlan; readonly seconds: number }> {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: (ms: number) =>
      new Promise<void>((done) => {
        now += ms;
        setImmediate(done);
      }),
  };
  const handle: BatchHandle = {
    workflowId: 'batch/acme-1/harbour',
    joined: false,
    progress() {
      const [, look = PLANNING] = looks.filter(([from]) => from * 1_000 <= now).at(-1) ?? [];
      return look instanceof MediaServiceError ? Promise.reject(look) : Promise.resolve(look);
    },
    result: (signal) =>
      new Promise((_resolve, reject) => {
        if (endsAfter !== undefined) reject(endsAfter);
        signal?.addEventListener('abort', () => reject(new Error('Interrupted.')));
      }),
    pause: () => Promise.resolve(),
    resume: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
  };
  const plan = await awaitPlan(handle, { clock, signal: new AbortController().signal });
  return { plan, seconds: now / 1_000 };
}

interface Case {
  readonly label: string;
  readonly looks: Looks;
  readonly plan: AwaitedPlan;
  readonly seconds: number;
}

const NOBODY = new MediaServiceError('NoWorker', 'No worker serves the task queue q.', { hint: 'Run one.' });
const CASES: readonly Case[] = [
  { label: 'is there at once is returned at once', looks: [[0, UPLOADING]], plan: { rows: 7 }, seconds: 0 },
  { label: 'is there after a while has its rows', looks: [[20, UPLOADING]], plan: { rows: 7 }, seconds: 20 },
  { label: 'takes long is awaited for half a minute', looks: [], plan: {}, seconds: 30 },
  {
    label: 'that waits says why after a quarter of a minute',
    looks: [[0, WAITING]],
    plan: { waitReason: OBSTACLE },
    seconds: 15,
  },
  {
    label: 'that waits later says why at once',
    looks: [[21, WAITING]],
    plan: { waitReason: OBSTACLE },
    seconds: 21,
  },
  {
    label: 'that waited for a moment is polled again',
    looks: [
      [0, WAITING],
      [5, PLANNING],
      [25, UPLOADING],
    ],
    plan: { rows: 7 },
    seconds: 25,
  },
  {
    label: 'nobody reports for a moment is awaited',
    looks: [
      [0, NOBODY],
      [5, UPLOADING],
    ],
    plan: { rows: 7 },
    seconds: 5,
  },
  {
    label: 'no worker reads ends the wait after a quarter of a minute',
    looks: [[0, NOBODY]],
    plan: {
      waitReason: { code: 'NoWorker', message: 'No worker serves the task queue q.', hint: 'Run one.' },
    },
    seconds: 15,
  },
];

test.each(CASES)('a plan that $label', async ({ looks, plan, seconds }) => {
  expect(await awaited(looks)).toEqual({ plan, seconds });
});

test('a plan that is refused rejects with the refusal', async () => {
  const refused = new MediaServiceError('OutputFailed', '/out may not be written');
  await expect(awaited([], refused)).rejects.toBe(refused);
});
