import { describe, expect, it } from '@jest/globals';
import { pollSession } from '../../../../../api/upload/session/poll-session';
import { failureOf } from '../failure-of';
import type { ScriptedAnswer } from '../scripted-service';
import { scriptedService } from '../scripted-service';

const NOW = 1_000_000;
const POLL = { uploadId: 'u-1', completedAt: NOW, limitMs: 3_600_000 };
const of = (status: string): ScriptedAnswer => ({ status: 200, body: { uploadId: 'u-1', status } });
const answering = (...answers: ScriptedAnswer[]): ReturnType<typeof scriptedService> =>
  scriptedService((_call, count) => answers[Math.min(count, answers.length - 1)] ?? of('COMPLETED'));

describe('polling', () => {
  it.each(['COMPLETED', 'FAILED', 'completed'])(
    'ends with the session that is %s, over statuses that are no end',
    async (status) => {
      const { service, slept } = answering(of('PENDING_COMPLETE'), of('ASSEMBLING'), of(status));
      const statuses: string[] = [];
      const outcome = await pollSession(service, POLL, { onStatus: (one) => statuses.push(one) });
      expect(outcome).toMatchObject({ done: true, session: { status: status.toUpperCase() } });
      expect(slept).toEqual([1000, 2000]);
      expect(statuses).toEqual(['PENDING_COMPLETE', 'ASSEMBLING', status.toUpperCase()]);
    },
  );

  it('returns that it is still processing after about 20 s: a value, no failure', async () => {
    const { service, slept } = answering(of('PENDING_COMPLETE'));
    expect(await pollSession(service, POLL)).toEqual({ done: false, status: 'PENDING_COMPLETE' });
    expect(slept).toEqual([1000, 2000, 4000, 8000]);
  });

  it('waits no longer than it is told', async () => {
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
    expect([error.message, error.facts.hint]).toEqual([
      expect.stringContaining('not failed'),
      expect.stringMatching(/uploads session u-1 --wait \(in n8n: Upload > Wait, by Upload ID\)/),
    ]);
  });

  it.each([400, 404])('bears a %d in the first two minutes only', async (status) => {
    const early = answering({ status }, of('COMPLETED'));
    expect(await pollSession(early.service, POLL)).toMatchObject({ done: true });
    const late = answering({ status });
    const error = await failureOf(pollSession(late.service, { ...POLL, completedAt: NOW - 120_000 }));
    expect(error.code).toBe('SessionGone');
  });

  it('goes on over failures that pass, and rejects where the last read is one', async () => {
    const passing = scriptedService((_call, count) => (count < 6 ? { status: 500 } : of('COMPLETED')));
    expect(await pollSession(passing.service, { ...POLL, untilMs: 120_000 })).toMatchObject({ done: true });
    const lasting = answering({ status: 500 });
    expect((await failureOf(pollSession(lasting.service, POLL))).code).toBe('ServiceFailed');
    const refused = answering({ status: 403 });
    expect((await failureOf(pollSession(refused.service, POLL))).code).toBe('RequestRefused');
  });
});
