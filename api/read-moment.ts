import { DateTime } from 'luxon';
import type { JsonValue } from './json';

/** Below it a number counts seconds: it would be a day of 1970 in ms, and in seconds the year 5138. */
const LEAST_MS = 100_000_000_000;

/**
 * A moment as a service writes it, as epoch ms: ISO 8601 (without a zone: UTC), the date format of HTTP, or a number of seconds or ms since
 * 1970, as a number or as text. Undefined where it is none of these.
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
    // A bare number or a time of day would be read as a date, too.
    if (moment.isValid && /^\d{4}-\d{2}-\d{2}|^[A-Z][a-z]+,/.test(text)) return moment.toMillis();
  }
  return undefined;
}

function ofNumber(number: number): number | undefined {
  if (!Number.isFinite(number) || number <= 0) return undefined;
  return Math.floor(number < LEAST_MS ? number * 1000 : number);
}
