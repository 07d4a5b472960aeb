import { DateTime } from 'luxon';
import { ValidationError } from '../../api/errors';
import type { Window } from './window';

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

/** More would be neither a picture nor a table; 31 days of hours fit, also where clocks change. */
export const MAX_INTERVALS = 750;

const HOUR_MS = 3_600_000;

/** Hours up to two days, days up to nine weeks, then weeks. */
export function intervalFor({ from, to }: Window): Interval {
  const hours = (Date.parse(to) - Date.parse(from)) / HOUR_MS;
  if (hours <= 49) return 'hour';
  return hours <= 63 * 24 + 1 ? 'day' : 'week';
}

/**
 * Cuts the window at every full hour, midnight or Monday of the zone. The pieces cover it without gap or overlap, the first and the last
 * may be shorter, and a day on which clocks change has 23 or 25 hours. Throws a `ValidationError` above `MAX_INTERVALS`.
 */
export function intervalsOf(window: Window, interval: Interval, zone: string): Window[] {
  const end = Date.parse(window.to);
  const pieces: Window[] = [];
  let begin = Date.parse(window.from);
  while (begin < end) {
    const next = Math.min(nextCut(DateTime.fromMillis(begin, { zone }), interval), end);
    pieces.push({ from: new Date(begin).toISOString(), to: new Date(next).toISOString() });
    begin = next;
    if (pieces.length > MAX_INTERVALS) throw tooMany(interval);
  }
  return pieces;
}

/** Hours are counted in elapsed time: where clocks go back by half an hour, the local hour has no beginning of its own. */
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

function tooMany(interval: Interval): ValidationError {
  const wider = interval === 'hour' ? 'day' : 'week';
  return new ValidationError(
    'interval',
    `the range has more than ${MAX_INTERVALS} ${interval}s`,
    interval === 'week' ? 'Ask for a shorter range.' : `Ask by ${wider}, or for a shorter range.`,
  );
}
