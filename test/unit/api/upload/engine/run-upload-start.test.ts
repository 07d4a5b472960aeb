import fc from 'fast-check';
import { failureOf } from '../failure-of';
import { failure, FakeSteps, PART_BYTES, runSmoothly } from '../fake-steps';

const LOST = failure('StartAmbiguous', { outcome: 'ambiguous', details: { ingestTag: true } });
const UNTAGGED = failure('StartAmbiguous', { outcome: 'ambiguous', details: { ingestTag: false } });
const UNSENT = failure('Transport', { outcome: 'unsent' });
const UNAUTHORIZED = failure('Unauthorized', { status: 401, outcome: 'refused' });

describe('the start of a session', () => {
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
  ])('that lost %s is only repeated after a search, which is recorded', async (_what, lost) => {
    const steps = startFailing(lost);
    const result = await runSmoothly(steps);
    expect(steps.calls.slice(0, 5)).toEqual(['pin', 'start', 'host', 'orphans', 'start']);
    const orphans = [{ mediaId: 'media-1' }];
    expect(result).toMatchObject({ uploadId: 'upload-9', orphans, orphansVerifiable: true });
  });

  it('whose answer was lost is not taken for media that this key had before', async () => {
    const known: string[] = [];
    const steps = startFailing(LOST, LOST);
    steps.findOrphans = async (input) => {
      known.push(...input.known, '|');
      return { orphans: [{ mediaId: 'media-1', reason: 'lost' }], verifiable: true };
    };
    const { orphans } = await runSmoothly(steps, {}, { knownMedia: ['media-0'] });
    expect(orphans).toHaveLength(2);
    expect(known).toEqual(['media-0', '|', 'media-0', 'media-1', '|']);
  });

  it('whose response an earlier run never got is searched for before another one is sent', async () => {
    const steps = startFailing();
    const result = await runSmoothly(steps, {}, { startPending: true });
    expect(result).toMatchObject({ uploadId: 'upload-9', orphans: [{ mediaId: 'media-0' }] });
    expect(steps.calls.slice(0, 4)).toEqual(['pin', 'host', 'orphans', 'start']);
    expect(steps.pauses).toEqual([30_000]);
  });

  it('is still pending for the next run if the upload is cancelled before an earlier one was searched for', async () => {
    const steps = startFailing();
    steps.awaitUploadHost = () => Promise.reject(failure('Cancelled'));
    const error = await failureOf(runSmoothly(steps, {}, { startPending: true }));
    expect([error.code, error.facts.details]).toEqual(['Cancelled', { startPending: true }]);
    expect(steps.calls).toEqual(['pin', 'release']);
  });

  it('is given up after three sessions in over a quarter of an hour, with all orphans named', async () => {
    const steps = startFailing(LOST, LOST, LOST, LOST);
    const error = await failureOf(runSmoothly(steps));
    expect(steps.sessions).toBe(3);
    // The last start may also still be on its way when the search begins.
    expect(steps.pauses).toEqual([30_000, 15 * 60_000, 30_000]);
    expect(error.code).toBe('StartAmbiguous');
    expect(error.facts.details?.['orphans']).toMatch(/media-1.*media-2.*media-3/);
  });

  const GONE = failure('Transport', { outcome: 'ambiguous', details: { unanswered: true } });
  const ASKED = failure('StartAmbiguous', { ...LOST.facts, retryAfterMs: 45_000 });
  it.each([
    ['a worker that was lost can no longer send it', [GONE, GONE, GONE], [90_000, 15 * 60_000, 90_000], 3],
    ['the time that the service asked for', [ASKED], [45_000], 1],
  ])('is searched for and repeated after %s', async (_what, lost, pauses, searches) => {
    const steps = startFailing(...lost);
    await Promise.allSettled([runSmoothly(steps)]);
    expect(steps.calls.filter((call) => call === 'orphans')).toHaveLength(searches);
    expect(steps.pauses).toEqual(pauses);
  });

  it('is not repeated if the upload host never answers again: the error says that a session may exist', async () => {
    const steps = startFailing(LOST);
    steps.awaitUploadHost = () => Promise.reject(UNSENT);
    const error = await failureOf(runSmoothly(steps));
    expect(steps.sessions).toBe(1);
    expect(error).toMatchObject({
      code: 'StartAmbiguous',
      message: expect.stringContaining('start is not sent again'),
      facts: { hint: expect.stringContaining('may exist') },
    });
  });

  it('ends as cancelled if that happens while it waits for the upload host', async () => {
    for (const first of [LOST, UNSENT]) {
      const steps = startFailing(first);
      steps.awaitUploadHost = () => Promise.reject(failure('Cancelled'));
      expect((await failureOf(runSmoothly(steps))).code).toBe('Cancelled');
      expect(steps.sessions).toBe(1);
    }
  });

  it('leaves nothing behind if the upload was cancelled before it was sent', async () => {
    const error = await failureOf(runSmoothly(startFailing(failure('Cancelled', { outcome: 'unsent' }))));
    expect([error.code, error.facts.hint]).toEqual(['Cancelled', 'This run left nothing at the service.']);
    const cancelled = startFailing(LOST, failure('Cancelled', { outcome: 'unsent' }));
    const second = await failureOf(runSmoothly(cancelled));
    expect(second.facts.hint).toContain('may exist');
  });

  it('that never gets sent is retried for a day, less and less often, and makes no session', async () => {
    const steps = startFailing(...Array<Error>(1_000).fill(UNSENT));
    expect((await failureOf(runSmoothly(steps))).code).toBe('Transport');
    expect(steps.pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(Math.max(...steps.pauses)).toBe(15 * 60_000);
    expect(steps.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(24 * 60 * 60_000);
    // Each pause adds to the history of a workflow.
    expect(steps.pauses.length).toBeLessThan(120);
    expect(steps.calls).not.toContain('orphans');
  });

  it.each([
    ['is repeated although the search for it fails, and the result says so', 'ServiceFailed', false],
    ['is not repeated if the search for it is cancelled', 'Cancelled', undefined],
  ] as const)('whose answer was lost %s', async (_what, code, orphansVerifiable) => {
    const steps = startFailing(LOST);
    steps.findOrphans = () => Promise.reject(failure(code));
    const upload = runSmoothly(steps);
    if (orphansVerifiable === undefined) expect((await failureOf(upload)).code).toBe(code);
    else expect(await upload).toMatchObject({ uploadId: 'upload-9', orphans: [], orphansVerifiable });
  });

  it.each([
    ['a lost answer if the ingest tag is off', UNTAGGED],
    ['a refusal', failure('RequestRefused', { status: 400, outcome: 'refused' })],
    ['invalid input', failure('Validation', { outcome: 'unsent' })],
    ['an address refused by n8n', failure('Transport', { outcome: 'unsent', details: { permanent: true } })],
    ['a refused login', failure('LoginRefused', { status: 401, outcome: 'refused' })],
  ])('fails for good at %s', async (_what, refusal) => {
    const steps = startFailing(refusal);
    const { hint = '' } = (await failureOf(runSmoothly(steps))).facts;
    expect(steps.calls).toEqual(['pin', 'start', 'release']);
    expect(hint.includes('may exist')).toBe(refusal === UNTAGGED);
  });

  it('is repeated without a search if it was not sent, met a 429, or another worker may do it', async () => {
    const steps = startFailing(
      UNSENT,
      failure('RateLimited', { status: 429, outcome: 'refused', retryAfterMs: 7000 }),
      failure('AccountNotServed', { outcome: 'unsent' }),
      failure('LoginRefused', { outcome: 'unsent', details: { permanent: false } }),
    );
    expect((await runSmoothly(steps)).orphans).toEqual([]);
    expect(steps.pauses).toEqual([1000, 7000, 4000, 8000]);
    expect(steps.calls.filter((call) => call === 'orphans')).toEqual([]);
  });

  it('is retried once after a 401, with a search in between', async () => {
    const steps = startFailing(UNAUTHORIZED);
    await runSmoothly(steps);
    expect(steps.calls.slice(0, 4)).toEqual(['pin', 'start', 'orphans', 'start']);
    const twice = startFailing(UNAUTHORIZED, UNAUTHORIZED);
    expect((await failureOf(runSmoothly(twice))).code).toBe('Unauthorized');
    expect(twice.sessions).toBe(2);
  });

  it('makes one session, and names it, if its answer is of no use', async () => {
    const details = { uploadId: 'u-7', mediaId: 'm-7', repeatable: false };
    const steps = startFailing(failure('UnreadableAnswer', { outcome: 'ambiguous', details }));
    const error = await failureOf(runSmoothly(steps));
    expect(steps.calls).toEqual(['pin', 'start', 'release']);
    expect(error).toMatchObject({
      code: 'UnreadableAnswer',
      facts: { outcome: 'ambiguous', details: { uploadId: 'u-7', orphans: expect.stringContaining('u-7') } },
    });
    expect(error.message).toContain('1 session of this upload was found');
    expect(`${error.message} ${error.facts.hint}`).not.toMatch(/may hold|not known/);
  });

  it('never makes sessions that the result does not name, whatever is lost', async () => {
    const FAILED = failure('ServiceFailed', { status: 503, outcome: 'ambiguous' });
    const outcomes = fc.constantFrom(undefined, LOST, UNSENT, UNAUTHORIZED, FAILED);
    await fc.assert(
      fc.asyncProperty(fc.array(outcomes, { minLength: 1, maxLength: 8 }), async (script) => {
        const steps = startFailing(...script);
        await runSmoothly(steps).catch(() => undefined);
        const starts = steps.calls.filter((call) => call === 'start').length;
        const sent = script.slice(0, starts).filter((one) => one === LOST || one === FAILED).length;
        const searches = steps.calls.filter((call) => call === 'orphans').length;
        expect(sent).toBeLessThanOrEqual(3);
        expect(searches).toBeGreaterThanOrEqual(sent);
      }),
    );
  });
});
