const FIRST_BACKOFF_MS = 1_000;
const GROWTH = 2;

/** Pause after this number of tries, ms. Doubles from a second to `maxMs`. */
export function backoffMs(tries: number, maxMs: number): number {
  return Math.min(maxMs, FIRST_BACKOFF_MS * GROWTH ** Math.max(0, tries - 1));
}

/**
 * When an input that must wait for `ms` may leave, epoch ms. Never too early, but a little later, so that many inputs
 * leave together.
 */
export function roundedDue(now: number, ms: number): number {
  if (ms <= 0) return now;
  const step = stepOf(ms);
  return Math.ceil((now + ms) / step) * step;
}

function stepOf(ms: number): number {
  if (ms < 1_000) return 100;
  return ms < 30_000 ? 1_000 : 5_000;
}
