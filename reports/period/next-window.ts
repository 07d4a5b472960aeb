import { DateTime } from 'luxon';
import type { Window } from './window';

/** How much time lies between two reports: whole calendar days, or a span. */
export type Cadence = { readonly days: number } | { readonly ms: number };

export interface WindowRequest {
  /** End of the last window that was delivered, ISO 8601; unset: none was. */
  readonly deliveredTo?: string | undefined;
  /** Epoch ms. */
  readonly now: number;
  /** What is younger than this may not be found yet, ms. */
  readonly lagMs: number;
  /** IANA zone of days. */
  readonly zone: string;
  readonly cadence: Cadence;
}

const MINUTE_MS = 60_000;

/**
 * The window that is due; undefined where all that is old enough was delivered. It begins where the last delivered one ended, so that windows
 * have neither gap nor overlap whenever they are asked for: after an outage or a pause one window covers all of it. It ends at the
 * last midnight of the zone before `now - lagMs` where the cadence is whole days, else at the last full minute. The first one is one period long.
 */
export function nextWindow({ deliveredTo, now, lagMs, zone, cadence }: WindowRequest): Window | undefined {
  const end = endOf(DateTime.fromMillis(now - lagMs, { zone }), cadence);
  const begin =
    deliveredTo === undefined ? periodBefore(end, cadence) : DateTime.fromISO(deliveredTo, { zone });
  if (begin.toMillis() >= end.toMillis()) return undefined;
  return { from: utc(begin), to: utc(end) };
}

function endOf(latest: DateTime, cadence: Cadence): DateTime {
  // In elapsed time: where clocks go back, a minute of the zone comes twice.
  return 'days' in cadence ? latest.startOf('day') : latest.minus(latest.toMillis() % MINUTE_MS);
}

/** Where clocks skip midnight a day begins at 01:00, and the one before it does not; a zone that changed sides of the date line has skipped a whole day. */
function periodBefore(end: DateTime, cadence: Cadence): DateTime {
  if ('ms' in cadence) return end.minus(cadence.ms);
  const begin = end.minus({ days: cadence.days }).startOf('day');
  return begin < end ? begin : end.minus({ days: cadence.days + 1 }).startOf('day');
}

function utc(moment: DateTime): string {
  return moment.toUTC().toISO() ?? '';
}
