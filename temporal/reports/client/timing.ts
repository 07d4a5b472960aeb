import { ValidationError, wrongField } from '../../../api/errors';
import type { ReportSchedule } from '../types';
import { DAY_MS } from '../../../api/clock';

/** When a schedule fires, as the user writes it: at a time of each day, or by `cron`. */
export interface TimingRequest {
  /** Default `07:00`. */
  readonly at?: string;
  /** Minute, hour, day of month, month, day of week. */
  readonly cron?: string;
}

type Timing = Pick<ReportSchedule, 'cron' | 'times' | 'interval'>;

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

/** Throws a `ValidationError` that names the field: a wrong time, or a cron that can't be read or never fires. */
export async function timingOf({ at, cron }: TimingRequest, zone: string, now: number): Promise<Timing> {
  if (cron === undefined) return dailyTiming(at ?? '07:00');
  if (at === undefined) return cronTiming(cron.trim().replace(/\s+/g, ' '), zone, now);
  throw wrongField('at', "can't be combined with a cron expression", 'Omit one of them.');
}

function dailyTiming(at: string): Timing {
  const [, hours = '', minutes = ''] = /^\s*(\d{1,2}):(\d{2})\s*$/.exec(at) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (hours === '' || hour > 23 || minute > 59) {
    throw wrongField('at', `"${at.slice(0, 40)}" is not a time of day`, 'Write it as 07:00.');
  }
  return {
    cron: `${minute} ${hour} * * *`,
    interval: { days: 1 },
    times: `every day at ${String(hour).padStart(2, '0')}:${minutes}`,
  };
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
    cron,
    interval: oncePerDay ? { days: Math.max(1, Math.round(ms / DAY_MS)) } : { ms },
    times: `cron "${cron}"`,
  };
}

/** The next firings of a cron. */
export async function firesOf(cron: string, zone: string, now: number): Promise<Date[]> {
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
