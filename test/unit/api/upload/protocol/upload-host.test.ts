import { isRetryable } from '../../../../../api/retry';
import { requireUploadHost } from '../../../../../api/upload/protocol/start-session';
import { failureOf } from '../failure-of';
import { LOST, scriptedService, UNSENT } from '../scripted-service';
import type { Script } from '../scripted-service';

const UNKNOWN_SESSION = /^GET \/upload\/[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe('the upload host', () => {
  it.each([200, 400, 403, 404, 409])('is available if it answers %i', async (status) => {
    const { service, calls } = scriptedService(() => ({ status }));
    await requireUploadHost(service);
    expect(calls[0]).toMatch(UNKNOWN_SESSION);
    // A conflict may end.
    expect(calls).toHaveLength(status === 409 ? 5 : 1);
  });

  it('is asked for another session each time, so that no cache answers', async () => {
    const { service, calls } = scriptedService(() => ({ status: 404 }));
    await requireUploadHost(service);
    await requireUploadHost(service);
    expect(new Set(calls).size).toBe(2);
  });

  it.each<[string, Script, string]>([
    ['a gateway without a service', () => ({ status: 502 }), 'ServiceFailed'],
    ['too many requests', () => ({ status: 429 }), 'RateLimited'],
    ['a time-out', () => ({ status: 408 }), 'RequestRefused'],
    ['a lost connection', () => LOST, 'Transport'],
    ['no connection', () => UNSENT, 'Transport'],
  ])('is temporarily unavailable if it shows %s', async (_what, script, code) => {
    const failure = await failureOf(requireUploadHost(scriptedService(script).service));
    expect([failure.code, isRetryable(failure)]).toEqual([code, true]);
  });
});
