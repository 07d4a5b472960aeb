/** The longest wait that we accept from a server, ms. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns how long the answer's Retry-After asks to wait, in ms from `now` (epoch ms). It reads seconds or an HTTP
 * date. The result is never negative or above `MAX_RETRY_AFTER_MS`. Undefined if the header is missing or invalid.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : httpDate(value) - now;
  return Number.isNaN(wait) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(wait)));
}

/** `Date.parse` reads `-5` as a year, so only a weekday name or an ISO date counts as a date. */
function httpDate(value: string): number {
  return /^([A-Za-z]{3,9},? |\d{4}-\d{2}-\d{2}T)/.test(value) ? Date.parse(value) : Number.NaN;
}
