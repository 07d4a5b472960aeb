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
  const ends = [new Date(from), new Date(to)];
  const texts = ends.map((end) => localTime(end, zone));
  const isOneDay = texts[0]?.slice(0, 10) === texts[1]?.slice(0, 10);
  const offsets = ends.map((end) => offsetOf(end, zone));
  // When clocks go back, both ends may read the same.
  const shown =
    isOneDay && offsets[0] !== offsets[1] ? texts.map((text, at) => `${text} ${offsets[at] ?? ''}`) : texts;
  return `${shown.join(' to ')} (${zone})`;
}

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

function offsetOf(time: Date, zone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
