import type { Cursor } from './cursor';

/** [from, to), epoch ms. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** What to read next: from the oldest moment that may still hold something new to the present, or as far as the span allows. `now` is our own clock. */
export function nextWindow(cursor: Cursor, now: number): TimeWindow {
  const present = now + cursor.skewMs;
  const reach = cursor.spanMs === undefined ? present : Math.min(present, cursor.upTo + cursor.spanMs);
  return { from: cursor.from, to: Math.max(reach, cursor.upTo + 1) };
}

/** The window with half of what is new in it; undefined where that cannot be halved. */
export function narrowerWindow({ upTo }: Cursor, { from, to }: TimeWindow): TimeWindow | undefined {
  const half = upTo + Math.floor((to - upTo) / 2);
  return half > upTo ? { from, to: half } : undefined;
}
