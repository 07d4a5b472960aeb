import { DateTime } from 'luxon';
import { ValidationError } from '../../api/errors';
import type { Period } from './period';
import { HOUR_MS } from '../../api/clock';

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

/** More would not fit a chart or a table. 31 days of hours fit, even with a clock change. */
export const MAX_INTERVALS = 750;

/** Hours up to two days, days up to nine weeks, then weeks. */
export function intervalFor({ from, to }: Period): Interval {
  const hours = (Date.parse(to) - Date.parse(from)) / HOUR_MS;
  if (hours <= 49) return 'hour';
  return hours <= 63 * 24 + 1 ? 'day' : 'week';
}

/**
 * Cuts the period at every full hour, midnight or Monday of the zone. The intervals have no gaps or overlaps. The
 * first and the last may be shorter, and a day with a clock change has 23 or 25 hours. Throws a `ValidationError`
 * above `MAX_INTERVALS`.
 */
export function intervalsOf(period: Period, interval: Interval, zone: string): Period[] {
  const end = Date.parse(period.to);
  const pieces: Period[] = [];
  let begin = Date.parse(period.from);
  while (begin < end) {
    const next = Math.min(nextCut(DateTime.fromMillis(begin, { zone }), interval), end);
    pieces.push({ from: new Date(begin).toISOString(), to: new Date(next).toISOString() });
    begin = next;
    if (pieces.length > MAX_INTERVALS) {
      const problem = `the range has more than ${MAX_INTERVALS} ${interval}s`;
      throw new ValidationError('interval', problem, 'Use a wider interval or a shorter range.');
    }
  }
  return pieces;
}

/**
 * Hours are counted in elapsed time, because if clocks go back by half an hour, the local hour has no start of its
 * own.
 */
function nextCut(moment: DateTime, interval: Interval): number {
  if (interval === 'hour')
    return moment
      .startOf('minute')
      .plus({ minutes: 60 - moment.minute })
      .toMillis();
  return moment
    .startOf(interval)
    .plus({ [interval]: 1 })
    .startOf('day')
    .toMillis();
}
