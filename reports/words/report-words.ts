import { DateTime } from 'luxon';
import type { Interval } from '../period/intervals';
import { isWholeDays } from '../period/period';
import type { Period } from '../period/period';
import type { DeliveryReport } from '../report';

/** `12 of 340 webhook deliveries failed (3.5 %, +1.2 pp), 20 Nov`. Contains only figures, no text of the service. */
export function subjectOf(report: DeliveryReport): string {
  const when = periodText(report, report.zone, SHORT);
  // One inbox may get reports of many schedules.
  const from = report.sender && ` [${report.sender.schedule}, ${report.sender.accountId}]`;
  return `${report.complete ? '' : 'Incomplete: '}${outcomeText(report)}, ${when}${from ?? ''}`;
}

/** The outcome in one clause. */
export function outcomeText({ totals, change }: DeliveryReport): string {
  const { total, failed, failureRate } = totals;
  if (total === 0) return 'No webhook deliveries';
  if (failureRate === null) {
    return failed === 0
      ? `At least ${countText(total)} webhook deliveries, none failed`
      : `At least ${countText(failed)} webhook deliveries failed`;
  }
  const rateChange = change?.failureRate ?? null;
  const since = rateChange === null ? '' : `, ${pointsText(rateChange)}`;
  if (failed === 0) return `All ${countText(total)} webhook deliveries succeeded`;
  return `${countText(failed)} of ${countText(total)} webhook deliveries failed (${rateText(failureRate)}${since})`;
}

/** `All sub-accounts`, or what limits the report. */
export function scopeText({ scope }: DeliveryReport): string {
  const parts = [
    ...(scope.subAccountId === null ? [] : [`Sub-account ${scope.subAccountId}`]),
    ...(scope.mediaId === null ? [] : [`Media ${scope.mediaId}`]),
  ];
  return parts.length === 0 ? 'All media, all sub-accounts' : parts.join(', ');
}

/** What a reader must know to trust the figures: a name and a text each. */
export function factsOf(report: DeliveryReport): { name: string; text: string }[] {
  const { countedBy } = report;
  const counted =
    countedBy.failed === countedBy.success
      ? `All ${BY[countedBy.failed]}`
      : `Failed ${BY[countedBy.failed]}, successful ${BY[countedBy.success]}`;
  return [
    {
      name: 'Period',
      text: `${exactTime(report.from, report.zone)} (included) to ${exactTime(report.to, report.zone)} (not included), days of ${report.zone}`,
    },
    ...(report.sender === undefined
      ? []
      : [
          { name: 'Schedule', text: report.sender.schedule },
          { name: 'Account', text: report.sender.accountId },
        ]),
    { name: 'Scope', text: scopeText(report) },
    { name: 'Compared with', text: report.before ? periodText(report.before, report.zone) : 'Nothing' },
    { name: 'Counted', text: counted },
    { name: 'Records read', text: countText(report.recordsRead) },
    { name: 'Complete', text: report.complete ? 'Yes' : 'No' },
  ];
}

const BY = { records: 'from records', countQueries: 'by count queries' } as const;

/** `+7 against 5 before`, or undefined if there is nothing to compare with. */
export function againstText(
  { before, change }: DeliveryReport,
  field: 'total' | 'failed',
): string | undefined {
  if (before === null || change === null) return undefined;
  return `${change[field].toLocaleString(LOCALE, SIGNED)} against ${countText(before[field])} before`;
}

/** The same for the failure rate. */
export function rateAgainstText({ before, change }: DeliveryReport): string | undefined {
  if (before === null || change === null || change.failureRate === null) return undefined;
  return `${pointsText(change.failureRate)} against ${rateText(before.failureRate)} before`;
}

// Options instead of formatters, because n8n loads this file at its start, and making a formatter takes milliseconds.
const LOCALE = 'en-US';
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const SIGNED = { signDisplay: 'exceptZero' } as const;
const UNKNOWN = '–';

/** `12,345`, or a dash for an unknown count. */
export function countText(count: number | null): string {
  return count === null ? UNKNOWN : count.toLocaleString(LOCALE);
}

/** `3.5 %` for 0.035. A very small rate never becomes 0 %, and a very large one never 100 %. */
export function rateText(rate: number | null): string {
  if (rate === null) return UNKNOWN;
  if (rate > 0 && rate < 0.0005) return '< 0.1 %';
  if (rate < 1 && rate >= 0.9995) return '> 99.9 %';
  return `${(rate * 100).toLocaleString(LOCALE, ONE_DIGIT)} %`;
}

/** `+1.2 pp`: the difference of two rates in percentage points. */
export function pointsText(difference: number): string {
  return `${(difference * 100).toLocaleString(LOCALE, { ...SIGNED, ...ONE_DIGIT })} pp`;
}

/** Luxon's formats of a day, of a period of one day, and of the first day of a period within a year. */
const LONG = { day: 'd LLLL yyyy', only: 'cccc, d LLLL yyyy', first: 'd LLLL', to: ' to ' };
/** For a subject: `20 Nov`, `14 – 20 Nov`. */
export const SHORT = { day: 'd LLL', only: 'd LLL', first: 'd LLL', to: ' – ' };

/** `Friday, 20 November 2026`, `14 to 20 November 2026`, or both ends with their time. */
export function periodText(period: Period, zone: string, { day, only, first, to } = LONG): string {
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
function exactTime(iso: string, zone: string): string {
  return local(iso, zone).toISO({ suppressSeconds: true, suppressMilliseconds: true }) ?? iso;
}

function local(iso: string, zone: string): DateTime {
  return DateTime.fromISO(iso, { zone, locale: 'en' });
}
