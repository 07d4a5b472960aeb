import { DateTime } from 'luxon';

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
  return { from: earlier.toUTC().toISO() ?? from, to: from };
}

/** Whether both ends are midnight in the zone. */
export function isWholeDays({ from, to }: Period, zone: string): boolean {
  return [from, to].every((iso) => {
    const moment = DateTime.fromISO(iso, { zone });
    return moment.toMillis() === moment.startOf('day').toMillis();
  });
}
