import { MediaServiceError, TransportError } from '../../../../../api/errors';
import { isRetryable } from '../../../../../api/retry';
import { KnownHosts } from '../../../../../temporal/worker/limits/known-hosts';

const clock = { ms: 0, now: () => clock.ms };

function failed(code: string, host = 'upload.example'): TransportError {
  return new TransportError(`${host}: no`, { outcome: 'unsent', hint: 'Look.', details: { code, host } });
}

async function answer(hosts: KnownHosts, url: string): Promise<void> {
  const body = (async function* () {})();
  const transport = hosts.noting({ send: () => Promise.resolve({ status: 503, headers: {}, body }) });
  await transport.send({ method: 'GET', url, headers: {} });
}

describe('a host name that does not resolve', () => {
  it('and never answered fails for good after 4 tries and 25 s, and the error has the number of tries', () => {
    clock.ms = 1_000;
    const hosts = new KnownHosts(clock);
    const first = hosts.judge(failed('ENOTFOUND'), 1);
    const details = { code: 'ENOTFOUND', retryForMs: 60_000 };
    expect(first).toMatchObject({ facts: { hint: 'Look.', details } });
    expect(isRetryable(first)).toBe(true);
    clock.ms = 25_999;
    expect(isRetryable(hosts.judge(failed('ENOTFOUND'), 9))).toBe(true);
    clock.ms = 26_000;
    expect(isRetryable(hosts.judge(failed('ENOTFOUND'), 3))).toBe(true);
    const last = hosts.judge(failed('ENOTFOUND'), 4);
    expect(isRetryable(last)).toBe(false);
    const message = 'upload.example: no; it was tried 4 times';
    expect(last).toMatchObject({ code: 'Transport', outcome: 'unsent', message });
  });

  it('but answered once, with any status, is retried as long as any step', async () => {
    clock.ms = 0;
    const hosts = new KnownHosts(clock);
    await answer(hosts, 'https://upload.example/upload/start');
    const error = failed('ENOTFOUND');
    expect(hosts.judge(error, 1)).toBe(error);
    clock.ms = 3_600_000;
    expect(hosts.judge(error, 100)).toBe(error);
  });

  it('is tracked for each host and port', async () => {
    clock.ms = 0;
    const hosts = new KnownHosts(clock);
    await answer(hosts, 'https://other.example/');
    hosts.judge(failed('ENOTFOUND', 'upload.example:8443'), 1);
    clock.ms = 60_000;
    const names = ['upload.example:8443', 'upload.example', 'other.example'];
    const errors = names.map((host) => hosts.judge(failed('ENOTFOUND', host), 5));
    expect(errors.map(isRetryable)).toEqual([false, true, true]);
  });

  it.each(['EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'])('is not confused with %s', (code) => {
    clock.ms = 0;
    const hosts = new KnownHosts(clock);
    const error = failed(code);
    expect(hosts.judge(error, 1)).toBe(error);
    clock.ms = 3_600_000;
    expect(hosts.judge(error, 100)).toBe(error);
  });

  it('does not change other errors', () => {
    const hosts = new KnownHosts(clock);
    const { facts } = failed('ENOTFOUND');
    for (const other of [new Error('ENOTFOUND'), new MediaServiceError('ServiceFailed', 'no', facts)])
      expect(hosts.judge(other, 100)).toBe(other);
  });
});
