import { DateTime } from 'luxon';
import type { Interval } from '../period/intervals';
import { isWholeDays } from '../period/period';
import type { Period } from '../period/period';

const DAY = 'd LLLL yyyy';

/** `Friday, 20 November 2026`, `14 to 20 November 2026`, or both ends with their time. */
export function periodText(period: Period, zone: string): string {
  const from = local(period.from, zone);
  const to = local(period.to, zone);
  if (!isWholeDays(period, zone)) {
    return [from, to].map((end) => end.toFormat(`${DAY}, ${clockOf(from, to)}`)).join(' to ');
  }
  const last = to.minus({ days: 1 });
  if (from.hasSame(last, 'day')) return from.toFormat(`cccc, ${DAY}`);
  const begin = from.hasSame(last, 'month') ? 'd' : from.hasSame(last, 'year') ? 'd LLLL' : DAY;
  return `${from.toFormat(begin)} to ${last.toFormat(DAY)}`;
}

/** When clocks go back, both ends may read the same, so each has its offset. */
function clockOf(from: DateTime, to: DateTime): string {
  return from.offset === to.offset ? 'HH:mm' : 'HH:mm ZZ';
}

/** The same in short form for a subject: `20 Nov`, `14–20 Nov`. */
export function shortPeriodText(period: Period, zone: string): string {
  const from = local(period.from, zone);
  const to = local(period.to, zone);
  if (!isWholeDays(period, zone))
    return [from, to].map((end) => end.toFormat(`d LLL ${clockOf(from, to)}`)).join(' – ');
  const last = to.minus({ days: 1 });
  if (from.hasSame(last, 'day')) return from.toFormat('d LLL');
  return from.hasSame(last, 'month')
    ? `${from.toFormat('d')}–${last.toFormat('d LLL')}`
    : `${from.toFormat('d LLL')} – ${last.toFormat('d LLL')}`;
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
