import { DateTime } from 'luxon';
import type { Interval } from '../period/intervals';
import { isWholeDays } from '../period/period';
import type { Period } from '../period/period';

interface Words {
  /** Luxon's formats of a day, of a period of one day, and of the first day of a period within a year. */
  readonly day: string;
  readonly only: string;
  readonly first: string;
  readonly to: string;
}
const LONG: Words = { day: 'd LLLL yyyy', only: 'cccc, d LLLL yyyy', first: 'd LLLL', to: ' to ' };
const SHORT: Words = { day: 'd LLL', only: 'd LLL', first: 'd LLL', to: ' – ' };

/** `Friday, 20 November 2026`, `14 to 20 November 2026`, or both ends with their time. */
export function periodText(period: Period, zone: string, { day, only, first, to }: Words = LONG): string {
  const [begin, end] = [local(period.from, zone), local(period.to, zone)];
  if (!isWholeDays(period, zone)) {
    // When clocks go back, both ends may read the same, so each has its offset.
    const clock = begin.offset === end.offset ? 'HH:mm' : 'HH:mm ZZ';
    return [begin, end].map((moment) => moment.toFormat(`${day}, ${clock}`)).join(to);
  }
  const last = end.minus({ days: 1 });
  if (begin.hasSame(last, 'day')) return begin.toFormat(only);
  const from = begin.hasSame(last, 'month') ? 'd' : begin.hasSame(last, 'year') ? first : day;
  return `${begin.toFormat(from)}${to}${last.toFormat(day)}`;
}

/** The same in short form for a subject: `20 Nov`, `14 – 20 Nov`. */
export function shortPeriodText(period: Period, zone: string): string {
  return periodText(period, zone, SHORT);
}

/** A name for each interval. If an hour occurs twice because clocks go back, its name includes the offset. */
export function intervalTexts(intervals: readonly Period[], interval: Interval, zone: string): string[] {
  const moments = intervals.map(({ from }) => local(from, zone));
  const oneDay = moments.every((moment) => moment.hasSame(moments[0] ?? moment, 'day'));
  const format = { hour: oneDay ? 'HH:mm' : 'd LLL HH:mm', day: 'ccc d LLL', week: "'Week of' d LLL" }[
    interval
  ];
  const texts = moments.map((moment) => moment.toFormat(format));
  return texts.map((text, index) =>
    texts.indexOf(text) === texts.lastIndexOf(text)
      ? text
      : `${text} ${moments[index]?.toFormat('ZZ') ?? ''}`,
  );
}

/** The same for the axis of a chart, in short form. */
export function axisTexts(intervals: readonly Period[], interval: Interval, zone: string): string[] {
  const format = interval === 'hour' ? 'HH:mm' : 'd LLL';
  return intervals.map(({ from }) => local(from, zone).toFormat(format));
}

/** `2026-11-20T00:00+01:00`: a moment to the millisecond, in the zone. */
export function exactTime(iso: string, zone: string): string {
  return local(iso, zone).toISO({ suppressSeconds: true, suppressMilliseconds: true }) ?? iso;
}

function local(iso: string, zone: string): DateTime {
  return DateTime.fromISO(iso, { zone, locale: 'en' });
}
