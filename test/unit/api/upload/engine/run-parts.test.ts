import type { PartResult } from '../../../../../api/upload/types';
import { begin, failure, FakeSteps } from '../fake-steps';

const PART = 32 * 1024 * 1024;

interface SentRun {
  readonly parts: readonly number[];
  readonly atOnce: number;
  end(): void;
  fail(): void;
}

/** Starts an upload of a file of 32 MiB parts, whose driver sends two of them together. */
function uploadInRuns(parts: number, concurrency: number) {
  const runs: SentRun[] = [];
  const steps = Object.assign(new FakeSteps(parts * PART), {
    sendParts: (inputs: readonly { readonly partNumber: number; readonly bytes: number }[], atOnce: number) =>
      new Promise<readonly PartResult[]>((resolve, reject) => {
        const sent = { eTag: 'e', verified: true, attempts: 1, ms: 1 };
        runs.push({
          parts: inputs.map(({ partNumber }) => partNumber),
          atOnce,
          end: () => resolve(inputs.map(({ partNumber, bytes }) => ({ ...sent, partNumber, bytes }))),
          fail: () => reject(failure('StorageRefused')),
        });
      }),
  });
  return { runs, ...begin(steps, { partBytes: PART, concurrency }) };
}

/** Lets everything happen that can happen now. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const shown = (runs: readonly SentRun[]): unknown => runs.map(({ parts, atOnce }) => [parts, atOnce]);

it('gives all parts at once to a file of one run', async () => {
  const { runs, upload } = uploadInRuns(2, 4);
  await settled();
  expect(shown(runs)).toEqual([[[1, 2], 2]]);
  runs[0]?.end();
  expect(await upload).toMatchObject({ status: 'COMPLETED', parts: [{ partNumber: 1 }, { partNumber: 2 }] });
});

it('gives at most half of the parts at once to one of several runs, and begins the next when one ends', async () => {
  const { runs, upload } = uploadInRuns(5, 3);
  await settled();
  expect(shown(runs)).toEqual([
    [[1, 2], 2],
    [[3, 4], 1],
  ]);
  runs[1]?.end();
  await settled();
  expect(shown(runs.slice(2))).toEqual([[[5], 1]]);
  for (const run of runs) run.end();
  const { parts } = await upload;
  expect(parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 4, 5]);
});

it('begins no run while it is paused, nor after one has failed', async () => {
  const { runs, control, upload } = uploadInRuns(6, 2);
  await settled();
  control.pause();
  runs[0]?.end();
  await settled();
  expect(shown(runs)).toEqual([
    [[1, 2], 1],
    [[3, 4], 1],
  ]);
  runs[1]?.fail();
  await expect(upload).rejects.toMatchObject({ code: 'StorageRefused' });
  expect(runs).toHaveLength(2);
});
