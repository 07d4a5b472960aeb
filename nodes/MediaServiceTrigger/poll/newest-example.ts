import type { TimePeriod } from './period-to-read';
import type { PeriodSource, PollLimits } from './poll-period';
import type { FoundItem, PollResult } from './new-items';
import { HOUR_MS } from '../../../api/clock';

const DAY_HOURS = 24;
/** The size of one page. */
const MAX_ITEMS = 1000;

/**
 * The newest item of the last days. Searches longer and longer periods. If a period contains too many items, it
 * searches the later half.
 */
export async function newestExample<T>(
  source: PeriodSource<T>,
  limits: Pick<PollLimits, 'now' | 'signal'>,
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

/** The items of the period, or as much of its end as fits one page. */
async function readEnd<T>(
  source: PeriodSource<T>,
  period: TimePeriod,
  signal: AbortSignal,
): Promise<PollResult<T>> {
  const whole = await source.read(period, MAX_ITEMS, signal);
  if (whole !== 'tooMany') return whole;
  let { from, to } = period;
  for (;;) {
    const middle = from + Math.ceil((to - from) / 2);
    const maxItems = middle >= to - 1 ? Number.POSITIVE_INFINITY : MAX_ITEMS;
    const later = await source.read({ from: Math.min(middle, to - 1), to }, maxItems, signal);
    if (later !== 'tooMany' && later.found.length > 0) return later;
    if (later === 'tooMany') from = middle;
    else to = Math.min(middle, to - 1);
    if (to <= from) return { found: [], complete: true };
  }
}

function newestOf<T>(found: readonly FoundItem<T>[]): FoundItem<T> | undefined {
  let newest = found.at(-1);
  for (const item of found) {
    if (item.at !== undefined && item.at > (newest?.at ?? Number.POSITIVE_INFINITY)) newest = item;
  }
  return newest;
}
