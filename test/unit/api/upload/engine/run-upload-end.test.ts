import { failureOf } from '../failure-of';
import { begin, failure, FakeSteps, PART_BYTES, runSmoothly, sessionOf } from '../fake-steps';

describe('the end of an upload', () => {
  it("is ProcessingFailed with the service's reason if the session is FAILED", async () => {
    const steps = new FakeSteps(PART_BYTES, {
      pollSession: async () => sessionOf('FAILED', { failureReason: 'bad codec' }),
    });
    const error = await failureOf(runSmoothly(steps));
    const details = { failureReason: 'bad codec', uploadId: 'upload-1' };
    expect(error).toMatchObject({ code: 'ProcessingFailed', facts: { details } });
  });

  it('needs no poll if complete already returns it', async () => {
    const steps = new FakeSteps(PART_BYTES, { completeSession: async () => sessionOf('COMPLETED') });
    await runSmoothly(steps);
    expect(steps.calls).not.toContain('poll');
  });

  it('is reported as cancelled with what remains: the session before complete, only the waiting after it', async () => {
    const before = new FakeSteps(PART_BYTES);
    const { upload } = begin(before);
    await before.untilRunning(1);
    before.running[0]?.fail(failure('Cancelled'));
    const early = await failureOf(upload);
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
  ] as const)('says what a complete that is %s means for the session', async (outcome, said) => {
    const facts = outcome === undefined ? {} : { outcome };
    const steps = new FakeSteps(PART_BYTES, {
      completeSession: () => Promise.reject(failure('RequestRefused', facts)),
    });
    const { hint } = (await failureOf(runSmoothly(steps))).facts;
    expect(hint).toContain(said);
    expect(hint).toContain('upload-1');
  });

  it('names both possible states of the session if it is cancelled during complete', async () => {
    const steps = new FakeSteps(PART_BYTES, { completeSession: () => Promise.reject(failure('Cancelled')) });
    const error = await failureOf(runSmoothly(steps));
    expect(error.message).toContain('complete may have been sent for upload session upload-1');
    expect(error.facts.hint).toContain('PENDING_COMPLETE');
    expect(error.facts.hint).toContain('stay');
  });

  it("is reported at each change, with the session's status", async () => {
    const steps = new FakeSteps(PART_BYTES);
    const { upload, control } = begin(steps);
    await steps.untilRunning(1);
    expect(control.progress.at(-1)).toMatchObject({
      ...{ phase: 'uploading', sessionStatus: 'INITIALIZED', uploadId: 'upload-1' },
      ...{ partsRunning: [1], partsDone: 0, bytesDone: 0 },
    });
    steps.running[0]?.succeed();
    await upload;
    const phases = [...new Set(control.progress.map(({ phase }) => phase))];
    expect(phases).toEqual(['pinning', 'starting', 'uploading', 'completing', 'processing', 'completed']);
    const end = { bytesDone: PART_BYTES, sessionStatus: 'COMPLETED', retries: 1 };
    expect(control.progress.at(-1)).toMatchObject(end);
  });
});
