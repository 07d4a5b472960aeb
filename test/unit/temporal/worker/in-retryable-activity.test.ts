import { MediaServiceError } from '../../../../api/errors';
import { retryable, retryDelayMs } from '../../../../temporal/worker/in-activity';

describe('a failed attempt of a page', () => {
  it.each<[what: string, error: Error, delayMs: number]>([
    ['a final error', new MediaServiceError('OutputFailed', 'The disk is full.'), 8_000],
    ['an unknown error', new TypeError('x is not a function'), 8_000],
    ['a busy server', new MediaServiceError('RateLimited', 'Too many.', { retryAfterMs: 90_000 }), 90_000],
  ])('is retried after %s, as late as it should be', (_what, error, delayMs) => {
    expect(retryable(error, 8_000)).toMatchObject({ nonRetryable: false, nextRetryDelay: delayMs });
  });

  it('waits twice as long each time, up to a minute', () => {
    expect([1, 2, 4, 6, 7, 40].map(retryDelayMs)).toEqual([1_000, 2_000, 8_000, 32_000, 60_000, 60_000]);
  });
});
