import { DateTime } from 'luxon';
import type { Interval } from '../period/intervals';
import { isWholeDays } from '../period/window';
import type { Window } from '../period/window';

const DAY = 'd LLLL yyyy';

/** `Friday, 20 November 2026`, `14 to 20 November 2026`, or both ends with their time. */
export function windowText(window: Window, zone: string): string {
  const from = local(window.from, zone);
  const to = local(window.to, zone);
  if (!isWholeDays(window, zone)) {
    return `${from.toFormat(`${DAY}, HH:mm`)} to ${to.toFormat(`${DAY}, HH:mm`)}`;
  }
  const last = to.minus({ days: 1 });
  if (from.hasSame(last, 'day')) return from.toFormat(`cccc, ${DAY}`);
  const begin = from.hasSame(last, 'month') ? 'd' : from.hasSame(last, 'year') ? 'd LLLL' : DAY;
  return `${from.toFormat(begin)} to ${last.toFormat(DAY)}`;
}

/** The same as short as a subject needs it: `20 Nov`, `14–20 Nov`. */
export function shortWindowText(window: Window, zone: string): string {
  const from = local(window.from, zone);
  const to = local(window.to, zone);
  if (!isWholeDays(window, zone)) return `${from.toFormat('d LLL HH:mm')} – ${to.toFormat('d LLL HH:mm')}`;
  const last = to.minus({ days: 1 });
  if (from.hasSame(last, 'day')) return from.toFormat('d LLL');
  return from.hasSame(last, 'month')
    ? `${from.toFormat('d')}–${last.toFormat('d LLL')}`
    : `${from.toFormat('d LLL')} – ${last.toFormat('d LLL')}`;
}

/** A name for each interval; where clocks go back, an hour that comes twice carries its offset. */
export function intervalTexts(intervals: readonly Window[], interval: Interval, zone: string): string[] {
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

/** The same for the axis of a chart, where there is little room. */
export function axisTexts(intervals: readonly Window[], interval: Interval, zone: string): string[] {
  const format = interval === 'hour' ? 'HH:mm' : 'd LLL';
  return intervals.map(({ from }) => local(from, zone).toFormat(format));
}

function local(iso: string, zone: string): DateTime {
  return DateTime.fromISO(iso, { zone, locale: 'en' });
}
