import type { StartedSession } from '../upload-steps';

/** A typical line's rate for one upload, bytes per second. This upload has no measured rate yet. */
const PLAUSIBLE_RATE = 5_000_000;

/**
 * Returns a warning if the file would at a typical rate outlast its URLs, and no further URLs are available. Otherwise,
 * or if it is unknown, undefined. Pure.
 */
export function urlWarning(
  { urls, renewable }: Pick<StartedSession, 'urls' | 'renewable'>,
  { bytes, now }: { readonly bytes: number; readonly now: number },
): string | undefined {
  const ends = urls.flatMap(({ expiresAt }) => expiresAt ?? []);
  if (renewable || ends.length === 0) return undefined;
  const leftMs = Math.min(...ends) - now;
  const neededMs = (bytes / PLAUSIBLE_RATE) * 1000;
  if (neededMs <= leftMs) return undefined;
  return (
    `The pre-signed URLs expire in ${spanText(Math.floor(leftMs / 1000))}; this file needs about ${spanText(Math.ceil(neededMs / 1000))} at ${PLAUSIBLE_RATE / 1_000_000} MB/s. ` +
    'No request for additional URLs is configured: ask the operator of the service how to ask for them.'
  );
}

/** `8 s`, `15 min` or `3 h`, at least `1 s`. */
function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.max(1, seconds)} s`;
  return seconds < 120 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
