/** A time of a schedule for people, in the schedule's zone: `2026-11-26 07:00 (Europe/Berlin)`. */
export function zonedTime(time: Date, zone: string): string {
  return `${localTime(time, zone)} (${zone})`;
}

/** As `zonedTime`, without the zone, where it is shown beside the time. */
export function localTime(time: Date, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    ...DAY,
    ...CLOCK,
    ...(time.getTime() % 60_000 === 0 ? {} : { second: '2-digit' }),
  });
  return format.format(time);
}

/** A period for people: `2026-11-24 00:00 to 2026-11-25 00:00 (Europe/Berlin)`. */
export function zonedPeriod(
  { from, to }: { readonly from: string; readonly to: string },
  zone: string,
): string {
  return `${localTime(new Date(from), zone)} to ${zonedTime(new Date(to), zone)}`;
}

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
