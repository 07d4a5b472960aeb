import { ValidationError, wrongField } from '../../../api/errors';
import type { ReportInterval } from '../../../reports/period/next-period';
import type { TimingRequest, Weekday } from '../types';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../api/clock';

export interface Timing {
  /** The form that Temporal takes, without the zone. */
  readonly spec:
    | {
        readonly calendars: readonly [
          { readonly hour: number; readonly minute: number; readonly dayOfWeek?: Weekday },
        ];
      }
    | { readonly intervals: readonly [{ readonly every: number }] }
    | { readonly cronExpressions: readonly [string] };
  readonly interval: ReportInterval;
  /** The next firings of a cron, as far as they were computed. */
  readonly fires?: readonly Date[];
  /** `every day at 07:00`. */
  readonly words: string;
}

const SPANS = { m: MINUTE_MS, h: HOUR_MS } as const;
const LEAST_MS = 60_000;
/** How many firings of a cron are compared to find the shortest time between two. */
const LOOKED_AT = 8;

/** The zone's IANA name. Throws a `ValidationError` if it is none. */
export function checkZone(zone: string): string {
  const text = zone.trim();
  try {
    new Intl.DateTimeFormat('en', { timeZone: /^[A-Za-z]/.test(text) ? text : 'an offset' });
    return text;
  } catch {
    throw new ValidationError(
      'timezone',
      `"${text.slice(0, 60)}" is not a time zone`,
      'Write it as Europe/Berlin, America/New_York or UTC.',
    );
  }
}

/**
 * Throws a `ValidationError` that names the field: an invalid span, a time without a day, or a cron that can't be read
 * or never fires. `now`: epoch ms.
 */
export async function timingOf(request: TimingRequest, zone: string, now: number): Promise<Timing> {
  const { every, at, on, cron } = request;
  if (cron === undefined) return everyTiming(every ?? '1d', at, on);
  for (const [field, value] of Object.entries({ every, at, on })) {
    if (value !== undefined)
      throw wrongField(
        field,
        "can't be combined with a cron expression",
        'Omit it, or omit the cron expression and give every 1d or 1w.',
      );
  }
  return cronTiming(cron.trim().replace(/\s+/g, ' '), zone, now);
}

function everyTiming(every: string, at: string | undefined, on: Weekday | undefined): Timing {
  const [, count = '', unit = ''] = /^\s*(\d{1,5})\s*([mhdw])\s*$/i.exec(every) ?? [];
  const amount = Number(count);
  const days = amount * ({ d: 1, w: 7 }[unit.toLowerCase()] ?? 0);
  if (days === 1 || days === 7) return calendarTiming(days, at ?? '07:00', on);
  const ms = amount * (unit.toLowerCase() === 'h' ? SPANS.h : unit.toLowerCase() === 'm' ? SPANS.m : 0);
  if (ms < LEAST_MS) throw wrongSpan(every, days > 0);
  for (const [field, value] of Object.entries({ at, on })) {
    if (value !== undefined)
      throw wrongField(field, 'goes only with every 1d or 1w', 'Omit it, or use a cron expression.');
  }
  return {
    spec: { intervals: [{ every: ms }] },
    interval: { ms },
    words: `every ${amount} ${unit.toLowerCase() === 'h' ? 'h' : 'min'}`,
  };
}

function calendarTiming(days: 1 | 7, at: string, on: Weekday | undefined): Timing {
  const [, hours = '', minutes = ''] = /^\s*(\d{1,2}):(\d{2})\s*$/.exec(at) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (hours === '' || hour > 23 || minute > 59) {
    throw wrongField('at', `"${at.slice(0, 40)}" is not a time of day`, 'Write it as 07:00.');
  }
  if (days === 1 && on !== undefined)
    throw wrongField('on', 'goes only with every 1w', 'Choose every 1w, or omit it.');
  const time = `${String(hour).padStart(2, '0')}:${minutes}`;
  const dayOfWeek = on ?? 'MONDAY';
  return {
    spec: { calendars: [{ hour, minute, ...(days === 7 ? { dayOfWeek } : {}) }] },
    interval: { days },
    words:
      days === 1
        ? `every day at ${time}`
        : `every ${dayOfWeek[0] ?? ''}${dayOfWeek.slice(1).toLowerCase()} at ${time}`,
  };
}

function wrongSpan(every: string, areDays: boolean): ValidationError {
  return wrongField(
    'every',
    `"${every.slice(0, 40)}" is not a time between two reports`,
    areDays
      ? 'The only spans of days are 1d and 1w. For others, use a cron expression, such as "0 7 */2 * *".'
      : 'Write 1d, 1w, or hours and minutes as 6h or 30m.',
  );
}

async function cronTiming(cron: string, zone: string, now: number): Promise<Timing> {
  if (cron.split(' ').length !== 5 || /[?#LW]|TZ=|@/i.test(cron.replace(/[a-z]{3}/gi, '')))
    throw wrongCron(cron);
  const fires = await firesOf(cron, zone, now);
  const gaps = fires.slice(1).map((fire, index) => fire.getTime() - (fires[index]?.getTime() ?? 0));
  if (fires.length === 0) {
    throw wrongField('cron', `"${cron}" never fires`, 'No such day exists: check day of month and month.');
  }
  // A cron with only one more firing, for example on 29 February, still needs a period.
  const ms = gaps.length === 0 ? DAY_MS : Math.min(...gaps);
  const oncePerDay = /^\d+ \d+ /.test(cron);
  return {
    spec: { cronExpressions: [cron] },
    interval: oncePerDay ? { days: Math.max(1, Math.round(ms / DAY_MS)) } : { ms },
    fires,
    words: `cron "${cron}"`,
  };
}

async function firesOf(cron: string, zone: string, now: number): Promise<Date[]> {
  const { Cron } = await import('croner');
  try {
    // As in Temporal: if both kinds of day are given, both must match.
    const job = new Cron(cron, { paused: true, timezone: zone, mode: '5-part', domAndDow: true });
    return job.nextRuns(LOOKED_AT, new Date(now));
  } catch {
    throw wrongCron(cron);
  }
}

function wrongCron(cron: string): ValidationError {
  return wrongField(
    'cron',
    `"${cron.slice(0, 80)}" is not a cron expression`,
    'Write minute, hour, day of month, month and day of week, as "0 7 * * 1-5"; the zone is a setting of its own.',
  );
}
