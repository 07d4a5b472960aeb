import { DateTime } from 'luxon';
import type { Window } from './window';

/** The days of the zone that a window touches, for names of files: `2026-11-21`, or `2026-11-14-to-2026-11-21`. */
export function daysName({ from, to }: Window, zone: string): string {
  const first = dayOf(Date.parse(from), zone);
  const last = dayOf(Date.parse(to) - 1, zone);
  return first === last ? first : `${first}-to-${last}`;
}

function dayOf(moment: number, zone: string): string {
  return DateTime.fromMillis(moment, { zone }).toFormat('yyyy-MM-dd');
}
