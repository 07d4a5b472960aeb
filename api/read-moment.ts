import { DateTime } from 'luxon';
import type { JsonValue } from './json';

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
