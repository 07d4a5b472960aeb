import { DateTime } from 'luxon';
import { isWholeDays } from './period';
import type { Period } from './period';

/**
 * A period in a file name. Whole days of the zone give `2026-11-21` or `2026-11-14-to-2026-11-20`. Any other period
 * gives its ends in UTC, `2026-11-21T0700Z-to-2026-11-21T0800Z`, because reports of two hours of the same day must not
 * overwrite each other.
 */
export function daysName(period: Period, zone: string): string {
  if (!isWholeDays(period, zone)) return `${momentOf(period.from)}-to-${momentOf(period.to)}`;
  const first = dayOf(Date.parse(period.from), zone);
  const last = dayOf(Date.parse(period.to) - 1, zone);
  return first === last ? first : `${first}-to-${last}`;
}

function dayOf(moment: number, zone: string): string {
  return DateTime.fromMillis(moment, { zone }).toFormat('yyyy-MM-dd');
}

/** `2026-11-21T0700Z`, or `2026-11-21T070030Z` if the seconds are not zero. */
function momentOf(iso: string): string {
  const moment = DateTime.fromISO(iso, { zone: 'utc' });
  return moment.toFormat(moment.second === 0 ? "yyyy-MM-dd'T'HHmm'Z'" : "yyyy-MM-dd'T'HHmmss'Z'");
}
