import { DateTime } from 'luxon';
import type { JsonValue } from './json';

/** A smaller number counts seconds. As ms it would be a day in 1970 to 1973; as seconds this bound is the year 5138. */
const LEAST_MS = 100_000_000_000;

/**
 * Reads a time as a service writes it, and returns epoch ms. It accepts ISO 8601 (UTC if it has no zone), the date
 * format of HTTP, and seconds or ms since 1970 as a number or text. Undefined for anything else.
 */
export function readMoment(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return ofNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{10,13}(\.\d+)?$/.test(text)) return ofNumber(Number(text));
  for (const moment of [
    DateTime.fromISO(text.replace(' ', 'T'), { zone: 'utc' }),
    DateTime.fromHTTP(text, { zone: 'utc' }),
  ]) {
    // Otherwise a bare number or a time of day would pass as a date, too.
    if (moment.isValid && /^\d{4}-\d{2}-\d{2}|^[A-Z][a-z]+,/.test(text)) return moment.toMillis();
  }
  return undefined;
}

function ofNumber(number: number): number | undefined {
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return Math.floor(number < LEAST_MS ? number * 1000 : number);
}
