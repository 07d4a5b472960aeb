import { DateTime } from 'luxon';
import type { Period } from './period';

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
  const today = dayOf(moment);
  const between = (from: DateTime, to: DateTime): Period => ({
    from: from.toUTC().toISO() ?? '',
    to: to.toUTC().toISO() ?? '',
  });
  switch (period) {
    case 'yesterday':
      return between(dayOf(today.minus({ days: 1 })), today);
    case 'last24Hours':
      return between(moment.minus({ hours: 24 }), moment);
    case 'last7Days':
      return between(dayOf(today.minus({ days: 7 })), today);
    case 'last30Days':
      return between(dayOf(today.minus({ days: 30 })), today);
    case 'lastWeek':
      return between(dayOf(today.startOf('week').minus({ weeks: 1 })), today.startOf('week'));
    case 'lastMonth':
      return between(dayOf(today.startOf('month').minus({ months: 1 })), today.startOf('month'));
    case 'thisMonth':
      return between(today.startOf('month'), moment);
  }
}

/**
 * The start of its day. If a clock change skips midnight, it is 01:00, and adding days to that would give 01:00 as
 * well.
 */
function dayOf(moment: DateTime): DateTime {
  return moment.startOf('day');
}
