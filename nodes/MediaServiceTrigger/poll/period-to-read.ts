import type { Cursor } from './cursor';

/** [from, to), epoch ms. */
export interface TimePeriod {
  readonly from: number;
  readonly to: number;
}

/**
 * The next period to read: from the oldest time that may still have new items to the present, or as far as the span
 * allows. `now`: our own clock.
 */
export function nextPeriod(cursor: Cursor, now: number): TimePeriod {
  const present = now + cursor.skewMs;
  const reach = cursor.spanMs === undefined ? present : Math.min(present, cursor.upTo + cursor.spanMs);
  return { from: cursor.from, to: Math.max(reach, cursor.upTo + 1) };
}

/** The period with half of its new time, or undefined if that can't be halved. */
export function narrowerPeriod({ upTo }: Cursor, { from, to }: TimePeriod): TimePeriod | undefined {
  const half = upTo + Math.floor((to - upTo) / 2);
  return half > upTo ? { from, to: half } : undefined;
}
