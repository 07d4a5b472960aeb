/** The longest wait that a server can impose, ms. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * How long the answer's Retry-After asks to wait, in ms from `now` (epoch ms): seconds or an HTTP date, never negative and never
 * above `MAX_RETRY_AFTER_MS`. Undefined where the header is missing or is neither.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : httpDate(value) - now;
  return Number.isNaN(wait) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wait)));
}

/** `Date.parse` takes `-5` for a year; an HTTP date names its weekday or is ISO. */
function httpDate(value: string): number {
  return /^([A-Za-z]{3,9},? |\d{4}-\d{2}-\d{2}T)/.test(value) ? Date.parse(value) : Number.NaN;
}
