import { DateTime } from 'luxon';
import { isWholeDays } from './period';
import type { Period } from './period';

/**
 * A period in a file name. Whole days of the zone give `2026-11-21` or `2026-11-14-to-2026-11-20`. Any other period
 * gives its ends with the zone's offset, `2026-11-21T0800+0100-to-2026-11-21T0900+0100`, because reports of two hours of
 * the same day must not overwrite each other, not even when clocks go back.
 */
export function daysName(period: Period, zone: string): string {
  if (!isWholeDays(period, zone)) return `${momentOf(period.from, zone)}-to-${momentOf(period.to, zone)}`;
  const first = dayOf(Date.parse(period.from), zone);
  const last = dayOf(Date.parse(period.to) - 1, zone);
  return first === last ? first : `${first}-to-${last}`;
}

function dayOf(moment: number, zone: string): string {
  return DateTime.fromMillis(moment, { zone }).toFormat('yyyy-MM-dd');
}

/** `2026-11-21T0800+0100`, or `2026-11-21T080030+0100` if the seconds are not zero. */
function momentOf(iso: string, zone: string): string {
  const moment = DateTime.fromISO(iso, { zone });
  return moment.toFormat(moment.second === 0 ? "yyyy-MM-dd'T'HHmmZZZ" : "yyyy-MM-dd'T'HHmmssZZZ");
}
