import { MediaServiceError, TransportError } from '../../../../../api/errors';
import { isRetryable } from '../../../../../api/retry';
import { KnownHosts } from '../../../../../temporal/worker/limits/known-hosts';

const clock = { ms: 0, now: () => clock.ms };

function failed(code: string, host = 'upload.example'): TransportError {
  return new TransportError(`${host}: no`, { outcome: 'unsent', hint: 'Look.', details: { code, host } });
}

function judged(hosts: KnownHosts, error: unknown, tries: number): MediaServiceError {
  const result = hosts.judge(error, tries);
  if (result instanceof MediaServiceError) return result;
  throw new Error('It is no error of ours.');
}

function isFinal(hosts: KnownHosts, error: unknown, tries: number): boolean {
  return !isRetryable(judged(hosts, error, tries));
}

async function answer(hosts: KnownHosts, url: string): Promise<void> {
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: true as const, value: undefined }),
    }),
  };
  const transport = hosts.noting({ send: () => Promise.resolve({ status: 503, headers: {}, body }) });
  await transport.send({ method: 'GET', url, headers: {} });
}

describe('a host name that does not resolve', () => {
  it('and never answered fails for good after 4 tries and 25 s, and the error has the number of tries', () => {
    clock.ms = 1_000;
    const hosts = new KnownHosts(clock);
    const first = judged(hosts, failed('ENOTFOUND'), 1);
    expect(first.facts).toMatchObject({ hint: 'Look.', details: { code: 'ENOTFOUND', retryForMs: 60_000 } });
    expect(isRetryable(first)).toBe(true);
    clock.ms = 25_999;
    expect(isFinal(hosts, failed('ENOTFOUND'), 9)).toBe(false);
    clock.ms = 26_000;
    expect(isFinal(hosts, failed('ENOTFOUND'), 3)).toBe(false);
    const last = judged(hosts, failed('ENOTFOUND'), 4);
    expect(isRetryable(last)).toBe(false);
    expect([last.code, last.outcome, last.message]).toEqual([
      'Transport',
      'unsent',
      'upload.example: no; it was tried 4 times',
    ]);
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
    expect(isFinal(hosts, failed('ENOTFOUND', 'upload.example:8443'), 5)).toBe(true);
    expect(isFinal(hosts, failed('ENOTFOUND', 'upload.example'), 5)).toBe(false);
    expect(isFinal(hosts, failed('ENOTFOUND', 'other.example'), 5)).toBe(false);
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
    const others = [
      new Error('ENOTFOUND'),
      new MediaServiceError('ServiceFailed', 'no', {
        details: { code: 'ENOTFOUND', host: 'upload.example' },
      }),
    ];
    for (const other of others) expect(hosts.judge(other, 100)).toBe(other);
  });
});
