import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runUpload } from '../../../../api/upload/run-upload';
import { startSession } from '../../../../api/upload/session/start-session';
import type { UploadSteps } from '../../../../api/upload/upload-steps';
import { failureOf } from './failure-of';
import { failure, fakeControl, FakeSteps, PART_BYTES, requestOf, sessionOf } from './fake-steps';
import { scriptedService } from './scripted-service';

const FOUR_PARTS = 4 * PART_BYTES;

/** Runs with parts that succeed as soon as they begin. */
async function runSmoothly(steps: FakeSteps, options = {}): Promise<ReturnType<typeof runUpload>> {
  const put = steps.putPart;
  steps.putPart = (input) => {
    const result = put(input);
    steps.running.at(-1)?.succeed();
    return result;
  };
  return runUpload(requestOf(options), steps, fakeControl(steps));
}

const LOST = failure('StartAmbiguous', { outcome: 'ambiguous', details: { ingestTag: true } });

describe('an upload', () => {
  it('pins, starts, sends, completes, polls and releases, and tells what came of it', async () => {
    const steps = new FakeSteps(FOUR_PARTS);
    const result = await runSmoothly(steps, { concurrency: 1 });
    expect(steps.calls).toEqual([
      'pin',
      'start',
      'put 1',
      'put 2',
      'put 3',
      'put 4',
      'complete',
      'poll',
      'release',
    ]);
    expect(result).toMatchObject({
      uploadId: 'upload-1',
      mediaId: 'media-1',
      status: 'COMPLETED',
      fileType: 'MP4',
      bytes: FOUR_PARTS,
      fileUrl: 'https://files.example.com/film.mp4',
      retries: 4,
      orphans: [],
      orphansVerifiable: true,
    });
  });

  it('completes with each part once, ascending, only when all are done, never more than `concurrency` at once, whatever the order', async () => {
    const choices = fc.array(fc.nat({ max: 15 }), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        choices,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (order, count, concurrency) => {
          const steps = new FakeSteps(count * PART_BYTES);
          const upload = runUpload(requestOf({ concurrency }), steps, fakeControl(steps));
          for (let done = 0; done < count; done += 1) {
            await steps.untilRunning(Math.min(concurrency, count - done));
            expect(steps.completed).toEqual([]);
            steps.running[(order[done] ?? 0) % steps.running.length]?.succeed();
          }
          await upload;
          expect(steps.mostAtOnce).toBe(Math.min(concurrency, count));
          expect(steps.completed.map(({ parts }) => parts.map(({ partNumber }) => partNumber))).toEqual([
            Array.from({ length: count }, (_, index) => index + 1),
          ]);
        },
      ),
    );
  });

  it('begins no part after the first failure, ends the running ones, and completes nothing, whatever fails when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        async (count, at, concurrency) => {
          const steps = new FakeSteps(count * PART_BYTES);
          const control = fakeControl(steps);
          const upload = failureOf(runUpload(requestOf({ concurrency }), steps, control));
          const failing = at % count;
          for (let done = 0; done <= failing; done += 1) {
            await steps.untilRunning(Math.min(concurrency, count - done));
            if (done < failing) steps.running[0]?.succeed();
          }
          const begun = steps.calls.filter((call) => call.startsWith('put')).length;
          steps.running[at % steps.running.length]?.fail(failure('SourceChanged'));
          const error = await upload;
          expect([error.code, error.facts.details?.['uploadId']]).toEqual(['SourceChanged', 'upload-1']);
          expect(steps.calls.filter((call) => call.startsWith('put'))).toHaveLength(begun);
          expect([steps.running, steps.completed, control.cancelledScopes]).toEqual([[], [], 1]);
          expect(steps.calls.at(-1)).toBe('release');
        },
      ),
    );
  });

  it('is not held up by a slow part', async () => {
    const steps = new FakeSteps(FOUR_PARTS);
    const upload = runUpload(requestOf({ concurrency: 2 }), steps, fakeControl(steps));
    for (let done = 0; done < 3; done += 1) {
      await steps.untilRunning(2);
      steps.running[1]?.succeed();
    }
    expect(steps.running.map(({ input }) => input.partNumber)).toEqual([1]);
    steps.running[0]?.succeed();
    await upload;
  });

  it('starts nothing where the source cannot be uploaded', async () => {
    const steps = new FakeSteps(0);
    const error = await failureOf(runUpload(requestOf(), steps, fakeControl(steps)));
    expect(error.code).toBe('Validation');
    expect(steps.calls).toEqual(['pin', 'release']);
  });

  it('ends with the real error where releasing the source fails too', async () => {
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
    const control = fakeControl(steps);
    const upload = runUpload(requestOf({ concurrency: 2 }), steps, control);
    await steps.untilRunning(2);
    control.pause();
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    await new Promise(setImmediate);
    expect(steps.running).toEqual([]);
    expect(control.progress.at(-1)).toMatchObject({ paused: true, partsDone: 2, partsRunning: [] });
    control.resume();
    await steps.untilRunning(2);
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    expect((await upload).parts).toHaveLength(4);
  });

  it('ends at once where a running part fails for good', async () => {
    const steps = new FakeSteps(FOUR_PARTS);
    const control = fakeControl(steps);
    const upload = failureOf(runUpload(requestOf({ concurrency: 2 }), steps, control));
    await steps.untilRunning(2);
    control.pause();
    steps.running[0]?.succeed();
    await new Promise(setImmediate);
    steps.running[0]?.fail(failure('StorageRefused'));
    expect((await upload).code).toBe('StorageRefused');
  });

  it('completes without being resumed where no part is left to begin', async () => {
    const steps = new FakeSteps(2 * PART_BYTES);
    const control = fakeControl(steps);
    const upload = runUpload(requestOf({ concurrency: 2 }), steps, control);
    await steps.untilRunning(2);
    control.pause();
    steps.running[0]?.succeed();
    steps.running[0]?.succeed();
    expect((await upload).status).toBe('COMPLETED');
  });
});

describe('start', () => {
  function startFailing(...failures: (Error | undefined)[]): FakeSteps {
    return new FakeSteps(PART_BYTES, {
      startSession: async () => {
        const next = failures.shift();
        if (next !== undefined) throw next;
        return { uploadId: 'upload-9', mediaId: 'media-9', urls: [] };
      },
    });
  }

  it.each([
    ['its answer', LOST],
    ['its worker', new Error('the activity timed out')],
  ])('that lost %s is searched for and noted before the next one', async (_what, lost) => {
    const steps = startFailing(lost);
    const result = await runSmoothly(steps);
    expect(steps.calls.slice(0, 4)).toEqual(['pin', 'start', 'orphans', 'start']);
    expect(result).toMatchObject({
      uploadId: 'upload-9',
      orphans: [{ mediaId: 'media-1' }],
      orphansVerifiable: true,
    });
  });

  it('is given up after three sessions, with all orphans named', async () => {
    const steps = startFailing(LOST, LOST, LOST, LOST);
    const error = await failureOf(runSmoothly(steps));
    expect(steps.sessions).toBe(3);
    expect(error.code).toBe('StartAmbiguous');
    expect(error.facts.details?.['orphans']).toMatch(/media-1.*media-2.*media-3/);
  });

  it('is never repeated where the ingest tag is off: the error says that a session may exist', async () => {
    const steps = startFailing(
      failure('StartAmbiguous', { outcome: 'ambiguous', details: { ingestTag: false } }),
    );
    const error = await failureOf(runSmoothly(steps));
    expect(steps.calls).toEqual(['pin', 'start', 'release']);
    expect(error.facts.hint).toContain('may exist');
  });

  it.each([
    ['a refusal', failure('RequestRefused', { status: 400, outcome: 'refused' })],
    ['invalid input', failure('Validation', { outcome: 'unsent' })],
    ['a refused login', failure('LoginRefused', { status: 401, outcome: 'refused' })],
  ])('is final at %s', async (_what, refusal) => {
    const steps = startFailing(refusal);
    await failureOf(runSmoothly(steps));
    expect(steps.calls).toEqual(['pin', 'start', 'release']);
  });

  it('is repeated without a search where the request never left, met a 429, or a worker without the account’s secrets', async () => {
    const steps = startFailing(
      failure('Transport', { outcome: 'unsent' }),
      failure('RateLimited', { status: 429, outcome: 'refused', retryAfterMs: 7000 }),
      failure('AccountNotServed', { outcome: 'unsent' }),
    );
    const control = fakeControl(steps);
    const upload = runUpload(requestOf(), steps, control);
    await steps.untilRunning(1);
    steps.running[0]?.succeed();
    expect((await upload).orphans).toEqual([]);
    expect(control.slept).toEqual([1000, 7000, 4000]);
  });

  it('is tried once more after a 401, and searched for in between', async () => {
    const steps = startFailing(failure('Unauthorized', { status: 401, outcome: 'refused' }));
    await runSmoothly(steps);
    expect(steps.calls.slice(0, 4)).toEqual(['pin', 'start', 'orphans', 'start']);
    const twice = startFailing(
      failure('Unauthorized', { status: 401, outcome: 'refused' }),
      failure('Unauthorized', { status: 401, outcome: 'refused' }),
    );
    expect((await failureOf(runSmoothly(twice))).code).toBe('Unauthorized');
    expect(twice.sessions).toBe(2);
  });

  it('is not repeated where its answer cannot be used: the session is named', async () => {
    const unfit = failure('UnreadableAnswer', {
      outcome: 'ambiguous',
      details: { repeatable: false, uploadId: 'u-7' },
    });
    const steps = startFailing(unfit);
    const error = await failureOf(runSmoothly(steps));
    expect(steps.sessions).toBe(1);
    expect(error.facts.details?.['orphans']).toContain('u-7');
  });

  it.each([
    ['plain http while the service is on https', 'Configuration', ['http://s3.example.com/key?partNumber=1']],
    [
      'two URLs for one part',
      'UnreadableAnswer',
      [1, 1].map((part) => `https://s3.example.com/key?partNumber=${part}`),
    ],
    ['no URL', 'UnreadableAnswer', []],
  ])('makes one session, and names it, where its answer has %s', async (_what, code, presignedUrls) => {
    const { service, calls } = scriptedService(() => ({
      status: 201,
      body: { uploadId: 'u-7', mediaId: 'm-7', presignedUrls },
    }));
    const steps = new FakeSteps(PART_BYTES, { startSession: (input) => startSession(service, input) });
    const error = await failureOf(runSmoothly(steps));
    expect(calls).toEqual(['POST /upload/start']);
    expect(steps.calls).toEqual(['pin', 'start', 'release']);
    expect(error).toMatchObject({
      code,
      facts: { outcome: 'ambiguous', details: { uploadId: 'u-7', orphans: expect.stringContaining('u-7') } },
    });
    expect(error.message).toContain('1 of the sessions that it made was found');
    expect(`${error.message} ${error.facts.hint}`).not.toMatch(/may exist|not known/);
  });

  it('never makes more sessions than are named in the end, whatever is lost', async () => {
    const outcomes = fc.array(fc.constantFrom('ok', 'lost', 'unsent', '401', '503'), {
      minLength: 1,
      maxLength: 8,
    });
    const errors = {
      ok: undefined,
      lost: LOST,
      unsent: failure('Transport', { outcome: 'unsent' }),
      '401': failure('Unauthorized', { status: 401, outcome: 'refused' }),
      '503': failure('ServiceFailed', { status: 503, outcome: 'ambiguous' }),
    };
    await fc.assert(
      fc.asyncProperty(outcomes, async (script) => {
        const steps = startFailing(...script.map((one) => errors[one]));
        await runSmoothly(steps).catch(() => undefined);
        const starts = steps.calls.filter((call) => call === 'start').length;
        const sent = script.slice(0, starts).filter((one) => one === 'lost' || one === '503').length;
        const searches = steps.calls.filter((call) => call === 'orphans').length;
        expect(sent).toBeLessThanOrEqual(3);
        expect(searches).toBeGreaterThanOrEqual(sent);
      }),
    );
  });
});

describe('a session that ends before its parts are there', () => {
  function putFailing(code: 'UrlExpired' | 'SessionGone', replaced: Partial<UploadSteps> = {}): FakeSteps {
    const steps = new FakeSteps(FOUR_PARTS, replaced);
    const put = steps.putPart;
    let failed = false;
    steps.putPart = (input) => {
      const result = put(input);
      if (input.partNumber !== 3 || failed) steps.running.at(-1)?.succeed();
      else {
        failed = true;
        steps.running.at(-1)?.fail(failure(code));
      }
      return result;
    };
    return steps;
  }
  const run = (steps: FakeSteps, options = {}): ReturnType<typeof runUpload> =>
    runUpload(requestOf({ concurrency: 1, ...options }), steps, fakeControl(steps));

  it.each(['UrlExpired', 'SessionGone'] as const)(
    'ends the upload as %s where no restart is allowed',
    async (code) => {
      expect((await failureOf(run(putFailing(code)))).code).toBe(code);
    },
  );

  it.each(['UrlExpired', 'SessionGone'] as const)(
    'is replaced once and named as an orphan after %s',
    async (code) => {
      const steps = putFailing(code);
      const result = await run(steps, { restartOnExpiry: true });
      expect(result).toMatchObject({
        uploadId: 'upload-2',
        orphans: [{ uploadId: 'upload-1', mediaId: 'media-1' }],
        retries: 6,
      });
      expect(steps.completed).toEqual([
        {
          uploadId: 'upload-2',
          parts: [1, 2, 3, 4].map((partNumber) => ({ partNumber, eTag: `etag-${partNumber}` })),
        },
      ]);
    },
  );

  it('is only polled where it turns out to be completed already', async () => {
    const steps = putFailing('SessionGone', { readSession: async () => sessionOf('PENDING_COMPLETE') });
    expect((await run(steps)).uploadId).toBe('upload-1');
    expect(steps.calls.slice(-3)).toEqual(['read', 'poll', 'release']);
  });
});

describe('the end of an upload', () => {
  it('is ProcessingFailed with the service’s reason where the session is FAILED', async () => {
    const steps = new FakeSteps(PART_BYTES, {
      pollSession: async () => sessionOf('FAILED', { failureReason: 'bad codec' }),
    });
    const error = await failureOf(runSmoothly(steps));
    expect(error).toMatchObject({
      code: 'ProcessingFailed',
      facts: { details: { failureReason: 'bad codec', uploadId: 'upload-1' } },
    });
  });

  it('is not polled for where complete already answers it', async () => {
    const steps = new FakeSteps(PART_BYTES, { completeSession: async () => sessionOf('COMPLETED') });
    await runSmoothly(steps);
    expect(steps.calls).not.toContain('poll');
  });

  it('is cancelled with what stays: the session before complete, only the waiting after it', async () => {
    const before = new FakeSteps(PART_BYTES);
    const upload = failureOf(runUpload(requestOf(), before, fakeControl(before)));
    await before.untilRunning(1);
    before.running[0]?.fail(failure('Cancelled'));
    const early = await upload;
    expect(early).toMatchObject({ code: 'Cancelled', facts: { details: { uploadId: 'upload-1' } } });
    expect(early.facts.hint).toContain('stay');

    const after = new FakeSteps(PART_BYTES, { pollSession: () => Promise.reject(failure('Cancelled')) });
    const late = await failureOf(runSmoothly(after));
    expect(late.message).toContain('only the waiting was cancelled: complete was sent');
    expect(late.facts.hint).not.toContain('stay');
  });

  it.each([
    ['unsent', 'stay'],
    ['refused', 'stay'],
    ['ambiguous', 'not known whether complete arrived'],
    [undefined, 'not known whether complete arrived'],
  ] as const)('at a complete that is %s says what that means for the session', async (outcome, said) => {
    const facts = outcome === undefined ? {} : { outcome };
    const steps = new FakeSteps(PART_BYTES, {
      completeSession: () => Promise.reject(failure('RequestRefused', facts)),
    });
    const { hint } = (await failureOf(runSmoothly(steps))).facts;
    expect(hint).toContain(said);
    expect(hint).toContain('upload-1');
  });

  it('is cancelled in mid-complete with both that can have become of the session', async () => {
    const steps = new FakeSteps(PART_BYTES, { completeSession: () => Promise.reject(failure('Cancelled')) });
    const error = await failureOf(runSmoothly(steps));
    expect(error.message).toContain('complete may have been sent for upload session upload-1');
    expect(error.facts.hint).toContain('PENDING_COMPLETE');
    expect(error.facts.hint).toContain('stay');
  });

  it('is told at each change, with the session’s status', async () => {
    const steps = new FakeSteps(PART_BYTES);
    const control = fakeControl(steps);
    const upload = runUpload(requestOf(), steps, control);
    await steps.untilRunning(1);
    expect(control.progress.at(-1)).toMatchObject({
      phase: 'uploading',
      partsRunning: [1],
      partsDone: 0,
      bytesDone: 0,
      sessionStatus: 'INITIALIZED',
      uploadId: 'upload-1',
    });
    steps.running[0]?.succeed();
    await upload;
    const phases = [...new Set(control.progress.map(({ phase }) => phase))];
    expect(phases).toEqual(['pinning', 'starting', 'uploading', 'completing', 'processing', 'completed']);
    expect(control.progress.at(-1)).toMatchObject({
      bytesDone: PART_BYTES,
      sessionStatus: 'COMPLETED',
      retries: 1,
    });
  });
});
