import { DateTime } from 'luxon';

/** [from, to), ISO 8601 in UTC. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/**
 * The window that ends where this one begins. Whole days of the zone are preceded by as many whole days, also where clocks
 * change; any other length is taken in ms.
 */
export function windowBefore({ from, to }: Window, zone: string): Window {
  const begin = DateTime.fromISO(from, { zone });
  const end = DateTime.fromISO(to, { zone });
  // A day on which clocks change has 23 or 25 hours, and one that has no midnight begins at 01:00.
  const days = Math.round(end.diff(begin, 'days').days);
  const earlier = isWholeDays({ from, to }, zone)
    ? begin.minus({ days }).startOf('day')
    : begin.minus(end.toMillis() - begin.toMillis());
  return { from: earlier.toUTC().toISO() ?? from, to: from };
}

/** Whether both ends are midnight in the zone. */
export function isWholeDays({ from, to }: Window, zone: string): boolean {
  return [from, to].every((iso) => {
    const moment = DateTime.fromISO(iso, { zone });
    return moment.toMillis() === moment.startOf('day').toMillis();
  });
}
