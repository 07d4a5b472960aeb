import { DateTime } from 'luxon';
import { MINUTE_MS } from '../../api/clock';

/** [from, to), ISO 8601 in UTC. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/**
 * The period that ends where this one begins. Before whole days of the zone, it has the same number of whole days,
 * even with a clock change. Any other length is measured in ms.
 */
export function periodBefore({ from, to }: Period, zone: string): Period {
  const begin = DateTime.fromISO(from, { zone });
  const end = DateTime.fromISO(to, { zone });
  // A day with a clock change has 23 or 25 hours, and a day without midnight begins at 01:00.
  const days = Math.round(end.diff(begin, 'days').days);
  const earlier = isWholeDays({ from, to }, zone)
    ? begin.minus({ days }).startOf('day')
    : begin.minus(end.toMillis() - begin.toMillis());
  return { from: utc(earlier), to: from };
}

/** Whether both ends are midnight in the zone. */
export function isWholeDays({ from, to }: Period, zone: string): boolean {
  return [from, to].every((iso) => {
    const moment = DateTime.fromISO(iso, { zone });
    return moment.toMillis() === moment.startOf('day').toMillis();
  });
}

/** The periods with a name. `last24Hours` and `thisMonth` end now. All others are whole days of the zone. */
export const NAMED_PERIODS = [
  'yesterday',
  'last24Hours',
  'last7Days',
  'last30Days',
  'lastWeek',
  'lastMonth',
  'thisMonth',
] as const;
export type NamedPeriod = (typeof NAMED_PERIODS)[number];

/** The named period at `now` (epoch ms). Weeks begin on Monday. `last7Days` and `last30Days` end last midnight. */
export function periodNamed(period: NamedPeriod, now: number, zone: string): Period {
  const moment = DateTime.fromMillis(now, { zone });
  const today = moment.startOf('day');
  // If a clock change skips midnight, a day begins at 01:00, and so would the day before without `startOf`.
  const daysBack = (days: number): DateTime => today.minus({ days }).startOf('day');
  const periods: Readonly<Record<NamedPeriod, readonly [DateTime, DateTime]>> = {
    yesterday: [daysBack(1), today],
    last24Hours: [moment.minus({ hours: 24 }), moment],
    last7Days: [daysBack(7), today],
    last30Days: [daysBack(30), today],
    lastWeek: [today.minus({ weeks: 1 }).startOf('week'), today.startOf('week')],
    lastMonth: [today.minus({ months: 1 }).startOf('month'), today.startOf('month')],
    thisMonth: [today.startOf('month'), moment],
  };
  const [from, to] = periods[period];
  return { from: utc(from), to: utc(to) };
}

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
    deliveredTo === undefined ? firstBegin(end, interval) : DateTime.fromISO(deliveredTo, { zone });
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
function firstBegin(end: DateTime, interval: ReportInterval): DateTime {
  if ('ms' in interval) return end.minus(interval.ms);
  const begin = end.minus({ days: interval.days }).startOf('day');
  return begin < end ? begin : end.minus({ days: interval.days + 1 }).startOf('day');
}

/**
 * A period in a file name. Whole days of the zone give `2026-11-21` or `2026-11-14-to-2026-11-20`. Any other period
 * gives its ends with the zone's offset, `2026-11-21T0800+0100-to-2026-11-21T0900+0100`, because reports of two hours of
 * the same day must not overwrite each other, not even when clocks go back.
 */
export function daysName(period: Period, zone: string): string {
  if (!isWholeDays(period, zone)) return `${momentOf(period.from, zone)}-to-${momentOf(period.to, zone)}`;
  const days = [Date.parse(period.from), Date.parse(period.to) - 1].map((moment) =>
    DateTime.fromMillis(moment, { zone }).toFormat('yyyy-MM-dd'),
  );
  return [...new Set(days)].join('-to-');
}

/** `2026-11-21T0800+0100`, or `2026-11-21T080030+0100` if the seconds are not zero. */
function momentOf(iso: string, zone: string): string {
  const moment = DateTime.fromISO(iso, { zone });
  return moment.toFormat(moment.second === 0 ? "yyyy-MM-dd'T'HHmmZZZ" : "yyyy-MM-dd'T'HHmmssZZZ");
}

function utc(moment: DateTime): string {
  return moment.toUTC().toISO() ?? '';
}
