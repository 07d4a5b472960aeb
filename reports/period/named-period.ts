import { DateTime } from 'luxon';
import type { Window } from './window';

/** The periods that a person names. All but `last24Hours` and `thisMonth`, which end now, are whole days of the zone. */
export const PERIODS = [
  'yesterday',
  'last24Hours',
  'last7Days',
  'last30Days',
  'lastWeek',
  'lastMonth',
  'thisMonth',
] as const;
export type Period = (typeof PERIODS)[number];

/** The window of the period at `now` (epoch ms). Weeks begin on Monday; `last7Days` and `last30Days` end last midnight. */
export function windowOfPeriod(period: Period, now: number, zone: string): Window {
  const moment = DateTime.fromMillis(now, { zone });
  const today = dayOf(moment);
  const between = (from: DateTime, to: DateTime): Window => ({
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

/** The beginning of its day. Where clocks skip midnight it is 01:00, and a day counted from there would begin at 01:00 as well. */
function dayOf(moment: DateTime): DateTime {
  return moment.startOf('day');
}
