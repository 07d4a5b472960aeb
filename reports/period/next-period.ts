import { DateTime } from 'luxon';
import type { Period } from './period';
import { MINUTE_MS } from '../../api/clock';

/** The time between two reports: whole calendar days, or a span. */
export type ReportInterval = { readonly days: number } | { readonly ms: number };

interface PeriodRequest {
  /** End of the last delivered period, ISO 8601. Unset: none was delivered. */
  readonly deliveredTo?: string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** Younger deliveries may not be found yet, ms. */
  readonly lagMs: number;
  /** IANA zone of days. */
  readonly zone: string;
  readonly interval: ReportInterval;
}

/**
 * The period that is due, or undefined if everything old enough was delivered. It begins at the end of the last
 * delivered period, so that periods have no gaps or overlaps. After an outage or a pause, one period covers all of it.
 * If the interval is whole days, it ends at the last midnight of the zone before `now - lagMs`, otherwise at the last
 * full minute. The first period is one interval long.
 */
export function nextPeriod({ deliveredTo, now, lagMs, zone, interval }: PeriodRequest): Period | undefined {
  const end = endOf(DateTime.fromMillis(now - lagMs, { zone }), interval);
  const begin =
    deliveredTo === undefined ? periodBefore(end, interval) : DateTime.fromISO(deliveredTo, { zone });
  if (begin.toMillis() >= end.toMillis()) return undefined;
  return { from: utc(begin), to: utc(end) };
}

function endOf(latest: DateTime, interval: ReportInterval): DateTime {
  // In elapsed time, because a minute of the zone occurs twice when clocks go back.
  return 'days' in interval ? latest.startOf('day') : latest.minus(latest.toMillis() % MINUTE_MS);
}

/**
 * If a clock change skips midnight, that day begins at 01:00, but the day before it does not. A zone that changed
 * sides of the date line has skipped a whole day.
 */
function periodBefore(end: DateTime, interval: ReportInterval): DateTime {
  if ('ms' in interval) return end.minus(interval.ms);
  const begin = end.minus({ days: interval.days }).startOf('day');
  return begin < end ? begin : end.minus({ days: interval.days + 1 }).startOf('day');
}

function utc(moment: DateTime): string {
  return moment.toUTC().toISO() ?? '';
}
