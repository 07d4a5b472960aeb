import { systemClock } from '../../api/clock';
import type { Clock } from '../../api/clock';

/** How much shorter pauses are than the interface's rules require. */
export const HASTE = 20;

export const hastyClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
};

/** A login's timestamp may be 30 minutes old, and 5 minutes ahead. */
const BEHIND_MS = 25 * 60_000;

/**
 * A clock that also passes times more quickly, so that what is tried for some time is over soon. Logins by it are valid
 * for 90 s.
 */
export function fastClock(): Clock {
  const from = hastyClock.now();
  return { ...hastyClock, now: () => from - BEHIND_MS + (hastyClock.now() - from) * HASTE };
}
