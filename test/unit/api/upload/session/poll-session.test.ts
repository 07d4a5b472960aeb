import { describe, expect, it } from '@jest/globals';
import { pollSession } from '../../../../../api/upload/session/poll-session';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';
import type { ScriptedAnswer } from '../scripted-service';

const NOW = 1_000_000;
const POLL = { uploadId: 'u-1', completedAt: NOW, limitMs: 3_600_000 };
const of = (status: string): ScriptedAnswer => ({ status: 200, body: { uploadId: 'u-1', status } });
const answering = (...answers: ScriptedAnswer[]): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => answers[Math.min(count, answers.length - 1)] ?? of('COMPLETED'));

describe('polling a session', () => {
  it.each(['COMPLETED', 'FAILED', 'completed'])(
    'ends when the session is %s, after statuses that are not final',
    async (status) => {
      const { service, slept } = answering(of('PENDING_COMPLETE'), of('ASSEMBLING'), of(status));
      const statuses: string[] = [];
      const outcome = await pollSession(service, POLL, { onStatus: (one) => statuses.push(one) });
      expect(outcome).toMatchObject({ done: true, session: { status: status.toUpperCase() } });
      expect(slept).toEqual([1000, 2000]);
      expect(statuses).toEqual(['PENDING_COMPLETE', 'ASSEMBLING', status.toUpperCase()]);
    },
  );

  it('returns "still processing" after about 20 s as a value, not as a failure', async () => {
    const { service, slept } = answering(of('PENDING_COMPLETE'));
    expect(await pollSession(service, POLL)).toEqual({ done: false, status: 'PENDING_COMPLETE' });
    expect(slept).toEqual([1000, 2000, 4000, 8000]);
  });

  it('waits no longer than its limit', async () => {
    const { service, slept } = answering(of('PENDING_COMPLETE'));
    await pollSession(service, { ...POLL, untilMs: 3_000 });
    expect(slept).toEqual([1000, 2000]);
  });

  it('ends as ProcessingTimeout at the limit, which says that nothing failed and what to do', async () => {
    const { service } = answering(of('PENDING_COMPLETE'));
    const error = await failureOf(pollSession(service, { ...POLL, limitMs: 2_500 }));
    expect(error).toMatchObject({
      code: 'ProcessingTimeout',
      facts: { details: { uploadId: 'u-1', status: 'PENDING_COMPLETE' } },
    });
    expect([error.message, error.facts.remedy]).toEqual([
      expect.stringContaining('not failed'),
      { kind: 'wait-for-session', uploadId: 'u-1' },
    ]);
  });

  it.each([400, 404])('retries a %d only in the first two minutes', async (status) => {
    const early = answering({ status }, of('COMPLETED'));
    expect(await pollSession(early.service, POLL)).toMatchObject({ done: true });
    const late = answering({ status });
    const error = await failureOf(pollSession(late.service, { ...POLL, completedAt: NOW - 120_000 }));
    expect(error.code).toBe('SessionGone');
  });

  it('continues after a page of a gateway, or one 404, however late, and ends after two of the service', async () => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
    const late = { ...POLL, completedAt: NOW - 120_000, untilMs: 120_000 };
    const gateway = scriptedService((_call, count) => (count < 7 ? page : of('COMPLETED')));
    expect(await pollSession(gateway.service, late)).toMatchObject({ done: true });
    expect(await pollSession(answering({ status: 404 }, of('COMPLETED')).service, late)).toMatchObject({
      done: true,
    });
    const gone = answering({ status: 404 });
    expect((await failureOf(pollSession(gone.service, late))).code).toBe('SessionGone');
    expect(gone.slept).toEqual([5000]);
  });

  it('continues after temporary failures, and rejects if the last read is one', async () => {
    const passing = scriptedService((_call, count) => (count < 6 ? { status: 500 } : of('COMPLETED')));
    expect(await pollSession(passing.service, { ...POLL, untilMs: 120_000 })).toMatchObject({ done: true });
    const lasting = answering({ status: 500 });
    expect((await failureOf(pollSession(lasting.service, POLL))).code).toBe('ServiceFailed');
    const refused = answering({ status: 403 });
    expect((await failureOf(pollSession(refused.service, POLL))).code).toBe('RequestRefused');
  });
});
