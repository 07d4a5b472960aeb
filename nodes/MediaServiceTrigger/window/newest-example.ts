import type { TimeWindow } from './next-window';
import type { WindowLimits, WindowSource } from './poll-window';
import type { Reading, Sighting } from './take-reading';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** One page. */
const MOST = 1000;

/** The newest thing of the last days, looked for in ever longer windows; where a window holds too much, in its later half. */
export async function newestExample<T>(
  source: WindowSource<T>,
  limits: Pick<WindowLimits, 'now' | 'signal'>,
  days: number,
): Promise<T | undefined> {
  let to = limits.now();
  for (const hours of [1, DAY_HOURS, 7 * DAY_HOURS, days * DAY_HOURS]) {
    const { found, serviceNow } = await readEnd(source, { from: to - hours * HOUR_MS, to }, limits.signal);
    const newest = newestOf(found);
    if (newest !== undefined) return newest.value;
    to = Math.max(to, serviceNow ?? to);
  }
  return undefined;
}

/** The window, or as much of its end as one page holds. */
async function readEnd<T>(
  source: WindowSource<T>,
  window: TimeWindow,
  signal: AbortSignal,
): Promise<Reading<T>> {
  const whole = await source.read(window, MOST, signal);
  if (whole !== 'tooMany') return whole;
  let { from, to } = window;
  for (;;) {
    const middle = from + Math.ceil((to - from) / 2);
    const most = middle >= to - 1 ? Number.POSITIVE_INFINITY : MOST;
    const later = await source.read({ from: Math.min(middle, to - 1), to }, most, signal);
    if (later !== 'tooMany' && later.found.length > 0) return later;
    if (later === 'tooMany') from = middle;
    else to = Math.min(middle, to - 1);
    if (to <= from) return { found: [], complete: true };
  }
}

function newestOf<T>(found: readonly Sighting<T>[]): Sighting<T> | undefined {
  let newest = found.at(-1);
  for (const sighting of found) {
    if (sighting.at !== undefined && sighting.at > (newest?.at ?? Number.POSITIVE_INFINITY))
      newest = sighting;
  }
  return newest;
}
