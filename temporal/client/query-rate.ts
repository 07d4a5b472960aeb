/** A query is a billable action. So queries are frequent only at first, and every five seconds at most later. */
const FIRST_INTERVAL_MS = 1_000;
const INTERVAL_MS = 5_000;
const INTERVALS_PER_AGE = 5;

/**
 * Says whether a query is due at `now`, epoch ms. Call `done` with the time of its answer. The first query is always
 * due.
 */
export function createQueryRate(): { isDue(now: number): boolean; done(now: number): void } {
  let firstAt: number | undefined;
  let doneAt: number | undefined;
  return {
    isDue(now) {
      firstAt ??= now;
      const interval = Math.max(FIRST_INTERVAL_MS, (now - firstAt) / INTERVALS_PER_AGE);
      return doneAt === undefined || now - doneAt >= Math.min(interval, INTERVAL_MS);
    },
    done(now) {
      doneAt = now;
    },
  };
}
