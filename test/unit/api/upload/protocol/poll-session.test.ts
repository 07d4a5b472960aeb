import { isRetryable } from '../../../../../api/retry';
import { pollSession } from '../../../../../api/upload/protocol/poll-session';
import { failureOf } from '../failure-of';
import { scriptedService } from '../scripted-service';
import type { ScriptedAnswer } from '../../scripted-service';

const NOW = 1_000_000;
const POLL = { uploadId: 'u-1', completedAt: NOW, limitMs: 3_600_000 };
const of = (status: string): ScriptedAnswer => ({ status: 200, body: { uploadId: 'u-1', status } });
const answering = (...answers: ScriptedAnswer[]): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => answers[count] ?? answers.at(-1) ?? {});

describe('polling a session', () => {
  it.each(['COMPLETED', 'FAILED', 'completed'])('reads once, and ends when it is %s', async (status) => {
    const { service, calls, slept } = answering(of(status));
    const outcome = await pollSession(service, POLL);
    expect(outcome).toMatchObject({ done: true, session: { status: status.toUpperCase() } });
    expect([calls, slept]).toEqual([['GET /upload/u-1'], []]);
  });

  it.each(['PENDING_COMPLETE', 'ASSEMBLING'])('is "still processing" while %s', async (status) => {
    const { service } = answering(of(status));
    expect(await pollSession(service, POLL)).toEqual({ done: false, status });
  });

  it('ends as ProcessingTimeout at the limit, which says that nothing failed and what to do', async () => {
    const { service } = answering(of('PENDING_COMPLETE'));
    const error = await failureOf(pollSession(service, { ...POLL, limitMs: 0 }));
    const details = { uploadId: 'u-1', status: 'PENDING_COMPLETE' };
    expect(error).toMatchObject({ code: 'ProcessingTimeout', facts: { details } });
    expect(error.message).toContain('not failed');
    expect(error.facts.hint).toContain('Wait for the session u-1');
  });

  it('continues after a page of a gateway, or one 404, and ends after two of the service', async () => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
    const gateway = scriptedService((_call, count) => (count < 4 ? page : of('COMPLETED')));
    expect((await pollSession(gateway.service, POLL)).done).toBe(true);
    const refused = await failureOf(pollSession(answering(page).service.once, POLL));
    expect([refused.code, isRetryable(refused)]).toEqual(['RequestRefused', true]);
    const starting = answering({ status: 404 }, of('COMPLETED'));
    expect((await pollSession(starting.service, POLL)).done).toBe(true);
    for (const status of [400, 404]) {
      const gone = answering({ status });
      expect((await failureOf(pollSession(gone.service, POLL))).code).toBe('SessionGone');
      expect(gone.slept).toEqual([5000]);
    }
  });

  it('rejects with a failure of the read, which its driver retries', async () => {
    const failing = answering({ status: 500 });
    expect((await failureOf(pollSession(failing.service.once, POLL))).code).toBe('ServiceFailed');
    expect(failing.calls).toHaveLength(1);
    const refused = answering({ status: 403 });
    expect((await failureOf(pollSession(refused.service, POLL))).code).toBe('RequestRefused');
  });
});
