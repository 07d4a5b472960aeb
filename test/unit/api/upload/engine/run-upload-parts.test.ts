import fc from 'fast-check';
import type { PartResult } from '../../../../../api/upload/types';
import { failureOf } from '../failure-of';
import { begin, failure, FakeSteps, PART_BYTES, runSmoothly } from '../fake-steps';

const FOUR_PARTS = 4 * PART_BYTES;

describe('an upload', () => {
  it('pins, starts, sends, completes, polls and releases, and reports the result', async () => {
    const steps = new FakeSteps(FOUR_PARTS);
    const result = await runSmoothly(steps, { concurrency: 1 });
    const puts = ['put 1', 'put 2', 'put 3', 'put 4'];
    expect(steps.calls).toEqual(['pin', 'start', ...puts, 'complete', 'poll', 'release']);
    expect(result).toMatchObject({
      ...{ uploadId: 'upload-1', mediaId: 'media-1', fileUrl: 'https://files.example.com/film.mp4' },
      ...{ fileType: 'MP4', bytes: FOUR_PARTS, retries: 4, orphans: [], orphansVerifiable: true },
    });
  });

  it('completes only when all parts are done, each once and in order, with at most `concurrency` at once', async () => {
    const choices = fc.array(fc.nat({ max: 15 }), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        choices,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (order, count, concurrency) => {
          const steps = new FakeSteps(count * PART_BYTES);
          const { upload } = begin(steps, { concurrency });
          for (let done = 0; done < count; done += 1) {
            await steps.untilRunning(Math.min(concurrency, count - done));
            expect(steps.completed).toEqual([]);
            steps.running[(order[done] ?? 0) % steps.running.length]?.succeed();
          }
          await upload;
          expect(steps.maxAtOnce).toBe(Math.min(concurrency, count));
          expect(steps.completed.map(({ parts }) => parts.map(({ partNumber }) => partNumber))).toEqual([
            Array.from({ length: count }, (_, index) => index + 1),
          ]);
        },
      ),
    );
  });

  it('begins no part after a failure, aborts the running ones, and completes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        async (count, at, concurrency) => {
          const steps = new FakeSteps(count * PART_BYTES);
          const { upload, control } = begin(steps, { concurrency });
          const failing = at % count;
          for (let done = 0; done <= failing; done += 1) {
            await steps.untilRunning(Math.min(concurrency, count - done));
            if (done < failing) steps.running[0]?.succeed();
          }
          const begun = steps.calls.filter((call) => call.startsWith('put')).length;
          steps.running[at % steps.running.length]?.fail(failure('SourceChanged'));
          const error = await failureOf(upload);
          const details = { uploadId: 'upload-1', mediaId: 'media-1' };
          expect([error.code, error.facts.details]).toEqual(['SourceChanged', details]);
          expect(steps.calls.filter((call) => call.startsWith('put'))).toHaveLength(begun);
          expect([steps.running, steps.completed, control.cancelledScopes]).toEqual([[], [], 1]);
          expect(steps.calls.at(-1)).toBe('release');
        },
      ),
    );
  });

  it('starts nothing for a page in place of a film, unless that is allowed', async () => {
    const page = (): FakeSteps =>
      new FakeSteps(PART_BYTES, {
        pinSource: async ({ source }) => ({
          ...{ source, bytes: PART_BYTES, fingerprint: 'f', fileName: 'film.mp4' },
          content: { type: 'text/html' },
        }),
      });
    const refused = page();
    expect((await failureOf(runSmoothly(refused))).code).toBe('SourceMissing');
    expect(refused.calls).toEqual(['pin', 'release']);
    expect(await runSmoothly(page(), { acceptAnyContent: true })).toMatchObject({ status: 'COMPLETED' });
  });

  it("starts nothing if the source can't be uploaded", async () => {
    const steps = new FakeSteps(0);
    const error = await failureOf(begin(steps).upload);
    expect(error.code).toBe('Validation');
    expect(steps.calls).toEqual(['pin', 'release']);
  });

  it('ends with the real error even if releasing the source fails too', async () => {
    const steps = new FakeSteps(FOUR_PARTS, {
      pinSource: () => Promise.reject(failure('SourceMissing')),
      releaseSource: () => Promise.reject(new Error('busy')),
    });
    expect((await failureOf(runSmoothly(steps))).code).toBe('SourceMissing');
  });
});

describe('a paused upload', () => {
  it('lets running parts end and begins none until it is resumed', async () => {
    const steps = new FakeSteps(FOUR_PARTS);
    const { upload, control } = begin(steps, { concurrency: 2 });
    await steps.untilRunning(2);
    control.pause();
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    await settled();
    expect(steps.running).toEqual([]);
    expect(control.progress.at(-1)).toMatchObject({ paused: true, partsDone: 2, partsRunning: [] });
    control.resume();
    await steps.untilRunning(2);
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    expect((await upload).parts).toHaveLength(4);
  });

  it('completes without a resume if no part is left to begin', async () => {
    const steps = new FakeSteps(2 * PART_BYTES);
    const { upload, control } = begin(steps, { concurrency: 2 });
    await steps.untilRunning(2);
    control.pause();
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    expect((await upload).status).toBe('COMPLETED');
  });
});

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
