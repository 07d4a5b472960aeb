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
  const { days } = end.diff(begin, 'days');
  const earlier = Number.isInteger(days)
    ? begin.minus({ days })
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
