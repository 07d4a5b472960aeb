import { describe, expect, it } from '@jest/globals';
import { urlWarning } from '../../../../../api/upload/run/upload-failure';

const HOUR = 3_600_000;
const url = (expiresAt?: number): { partNumber: number; url: string; expiresAt?: number } => ({
  partNumber: 1,
  url: 'u',
  ...(expiresAt === undefined ? {} : { expiresAt }),
});
/** 1 hour at 5 MB/s. */
const HOUR_BYTES = 18_000_000_000;

describe('the warning about URLs that expire too soon', () => {
  it('names the life of the shortest URL, the time that the file needs and what helps', () => {
    const warning = urlWarning(
      { urls: [url(HOUR), url(900_000), url()], renewable: false },
      { bytes: HOUR_BYTES, now: 0 },
    );
    expect(warning).toMatch(/expire in 15 min; this file needs about 60 min at 5 MB\/s.*additional URLs/);
  });

  it.each([
    ['seconds', 8_000, 100_000_000, 'expire in 8 s; this file needs about 20 s at 5 MB/s.'],
    ['hours', 3 * HOUR, 4 * HOUR_BYTES, 'expire in 3 h; this file needs about 4 h at 5 MB/s.'],
    ['an expired URL', -5, 1, 'expire in 1 s; this file needs about 1 s at 5 MB/s.'],
  ])('never shows a span of 0: %s', (_what, expiresAt, bytes, text) => {
    const warning = urlWarning({ urls: [url(expiresAt)], renewable: false }, { bytes, now: 0 });
    expect(warning).toContain(text);
  });

  it.each([
    ['the file needs no longer than they live', { urls: [url(HOUR)], renewable: false }, HOUR_BYTES],
    ['more can be requested', { urls: [url(1)], renewable: true }, HOUR_BYTES],
    ['they have no known end', { urls: [url()], renewable: false }, HOUR_BYTES],
    ['there are no URLs', { urls: [], renewable: false }, HOUR_BYTES],
  ])('is not shown if %s', (_what, session, bytes) => {
    expect(urlWarning(session, { bytes, now: 0 })).toBeUndefined();
  });
});
