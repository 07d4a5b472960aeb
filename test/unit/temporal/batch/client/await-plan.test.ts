import { MediaServiceError } from '../../../../../api/errors';
import { awaitPlan } from '../../../../../temporal/batch/client/await-plan';
import type { AwaitedPlan } from '../../../../../temporal/batch/client/await-plan';
import type { BatchHandle } from '../../../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../../../temporal/batch/client/live-batch';
import { liveBatch, UNUSED_CONTROLS } from '../../../cli/live-fixture';

const PLANNING = liveBatch({}, { phase: 'planning', pages: 0 });
const UPLOADING = liveBatch({ rows: 7, waiting: 7 }, { pages: 0 });
const OBSTACLE = { code: 'Transport', message: "S3 can't be reached" } as const;
const WAITING: LiveBatch = { ...PLANNING, waitReason: OBSTACLE };

/** The batch shows each of these from its second on. */
type Looks = Readonly<Record<number, LiveBatch | MediaServiceError>>;

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
    ...UNUSED_CONTROLS,
    workflowId: 'batch/acme-1/harbour',
    progress() {
      const [, look = PLANNING] =
        Object.entries(looks)
          .filter(([from]) => Number(from) * 1_000 <= now)
          .at(-1) ?? [];
      return look instanceof MediaServiceError ? Promise.reject(look) : Promise.resolve(look);
    },
    result: (signal) =>
      new Promise((_resolve, reject) => {
        if (endsAfter !== undefined) reject(endsAfter);
        signal?.addEventListener('abort', () => reject(new Error('Interrupted.')));
      }),
  };
  const plan = await awaitPlan(handle, { clock, signal: new AbortController().signal });
  return { plan, seconds: now / 1_000 };
}

const NOBODY = new MediaServiceError('NoWorker', 'No worker serves the task queue q.', { hint: 'Run one.' });
const NO_WORKER = {
  code: 'NoWorker',
  message: 'No worker serves the task queue q.',
  hint: 'Run one.',
} as const;

test.each<[label: string, looks: Looks, plan: AwaitedPlan, seconds: number]>([
  ['is there at once is returned at once', { 0: UPLOADING }, { rows: 7 }, 0],
  ['is there after a while has its rows', { 20: UPLOADING }, { rows: 7 }, 20],
  ['takes long is awaited for half a minute', {}, {}, 30],
  ['waits says why after a quarter of a minute', { 0: WAITING }, { waitReason: OBSTACLE }, 15],
  ['waits later says why at once', { 21: WAITING }, { waitReason: OBSTACLE }, 21],
  ['waited for a moment is polled again', { 0: WAITING, 5: PLANNING, 25: UPLOADING }, { rows: 7 }, 25],
  ['nobody reports for a moment is awaited', { 0: NOBODY, 5: UPLOADING }, { rows: 7 }, 5],
  ['no worker reads ends the wait after a quarter of a minute', { 0: NOBODY }, { waitReason: NO_WORKER }, 15],
])('a plan that %s', async (_label, looks, plan, seconds) => {
  expect(await awaited(looks)).toEqual({ plan, seconds });
});

test('a plan that is refused rejects with the refusal', async () => {
  const refused = new MediaServiceError('OutputFailed', '/out may not be written');
  await expect(awaited({}, refused)).rejects.toBe(refused);
});
