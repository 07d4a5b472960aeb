import { DateTime, IANAZone } from 'luxon';
import { ValidationError, wrongField } from './errors';
import type { JsonValue } from './json';

interface WhenContext {
  /** Epoch ms. */
  readonly now: number;
  /** IANA zone for dates without a zone, such as `Europe/Berlin`. Default UTC. */
  readonly zone?: string;
  /** Name of the field, for errors. Default `date`. */
  readonly field?: string;
}

const UNITS = { m: 'minutes', h: 'hours', d: 'days', w: 'weeks' } as const;
const AGO = /^-\s*(\d{1,6})\s*([mhdw])$/i;
const ISO =
  /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?\s*(Z|[+-](0\d|1[0-4])(:?[0-5]\d)?)?)?$/i;
const EXAMPLES =
  'Write 2026-11-01, "2026-11-01 07:00", 2026-11-01T07:00:00+01:00, -24h, -7d, now, today or yesterday.';

/**
 * Converts a date as a person writes it to ISO 8601 in UTC (`2026-11-01T06:00:00.000Z`). It accepts a calendar day (its
 * beginning), a day with a time, ISO with any zone, `-30m`, `-24h`, `-7d`, `-2w`, `now`, `today` and `yesterday`. Days
 * and weeks are those of the zone, so a day on which clocks change has 23 or 25 hours. Throws a `ValidationError` with
 * examples.
 */
export function parseWhen(text: string, context: WhenContext): string {
  const { zone = 'utc', field = 'date' } = context;
  if (zone.toLowerCase() !== 'utc' && !IANAZone.isValidZone(zone)) {
    throw new ValidationError(
      'zone',
      `"${zone.slice(0, 60)}" is not a time zone`,
      'Write it as Europe/Berlin, America/New_York or UTC.',
    );
  }
  const now = DateTime.fromMillis(context.now, { zone });
  const iso = momentOf(text.trim(), now)?.toUTC().toISO();
  if (iso === undefined || iso === null) {
    throw wrongField(field, `isn't a valid date: "${text.slice(0, 60)}"`, EXAMPLES);
  }
  return iso;
}

function momentOf(text: string, now: DateTime): DateTime | undefined {
  const word = text.toLowerCase();
  if (word === 'now') return now;
  if (word === 'today') return now.startOf('day');
  // If clocks skipped midnight today, today begins at 01:00, but yesterday does not.
  if (word === 'yesterday') return now.minus({ days: 1 }).startOf('day');
  const [, amount, unit = ''] = AGO.exec(text) ?? [];
  if (amount !== undefined) return agoOf(now, Number(amount), unit);
  if (!ISO.test(text)) return undefined;
  const moment = DateTime.fromISO(
    text
      .toUpperCase()
      .replace(/^(\S{10}) +/, '$1T')
      .replace(/\s+/g, ''),
    { zone: now.zone },
  );
  return moment.isValid ? moment : undefined;
}

function agoOf(now: DateTime, amount: number, unit: string): DateTime | undefined {
  const moment = now.minus({ [UNITS[unit.toLowerCase() as keyof typeof UNITS]]: amount });
  return moment.isValid && moment.year >= 1970 ? moment : undefined;
}

/** A larger number counts microseconds or nanoseconds. As ms this bound is the year 5138. */
const MAX_MS = 100_000_000_000_000;

/** A smaller number counts seconds. As ms it would be a day in 1970 to 1973; as seconds this bound is the year 5138. */
const LEAST_MS = 100_000_000_000;

/**
 * Reads a time as a service writes it, and returns epoch ms. It accepts ISO 8601 (UTC if it has no zone), the date
 * format of HTTP, seconds, ms, microseconds or nanoseconds since 1970 as a number or text, and Java's list of year,
 * month, day, hour, minute, second and nanosecond (UTC). Undefined for anything else.
 */
export function readMoment(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return ofNumber(value);
  if (Array.isArray(value)) return ofList(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^(\d{10,13}|\d{16}|\d{19})(\.\d+)?$/.test(text)) return ofNumber(Number(text));
  for (const moment of [
    DateTime.fromISO(text.replace(/ (UTC|GMT|Z)$/, 'Z').replace(' ', 'T'), { zone: 'utc' }),
    DateTime.fromHTTP(text, { zone: 'utc' }),
  ]) {
    // Otherwise a bare number or a time of day would pass as a date, too.
    if (moment.isValid && /^\d{4}-\d{2}-\d{2}|^[A-Z][a-z]+,/.test(text)) return moment.toMillis();
  }
  return undefined;
}

function ofNumber(number: number): number | undefined {
  if (!Number.isFinite(number) || number <= 0) return undefined;
  if (number >= MAX_MS) return ofNumber(number / 1000);
  return Math.floor(number < LEAST_MS ? number * 1000 : number);
}

function ofList([year, month, day, hour = 0, minute = 0, second = 0, nanosecond = 0]: JsonValue[]):
  number | undefined {
  const units = { year, month, day, hour, minute, second, millisecond: Math.floor(Number(nanosecond) / 1e6) };
  if (!Object.values(units).every((unit) => typeof unit === 'number')) return undefined;
  const moment = DateTime.fromObject(units as Record<string, number>, { zone: 'utc' });
  return moment.isValid ? moment.toMillis() : undefined;
}
