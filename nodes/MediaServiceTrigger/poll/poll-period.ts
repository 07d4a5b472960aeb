import { MediaServiceError } from '../../../api/errors';
import { cursorAt, seenCount } from './cursor';
import type { Cursor } from './cursor';
import { narrowerPeriod, nextPeriod } from './period-to-read';
import type { TimePeriod } from './period-to-read';
import { oldestFirst, newItemsOf } from './new-items';
import type { PollResult, Retention, NewItems } from './new-items';

/** Extra tries of the first read. Each one is up to three passes already. */
const MAX_AGAIN = 3;
/** If less than this share of a poll's limit is left, the period would need to be narrowed again and again. */
const WORTH_READING = 1 / 4;

/** Items that can be queried by the time when they were sent. */
export interface PeriodSource<T> {
  /** All items of the period, or `tooMany` as soon as it finds more than `maxItems`. Rejects when `signal` aborts. */
  read(period: TimePeriod, maxItems: number, signal: AbortSignal): Promise<PollResult<T> | 'tooMany'>;
}

export interface PollLimits extends Retention {
  /** Approximate maximum number of items per poll. It returns more only if they were sent in the same millisecond. */
  readonly maxNewItems: number;
  /** Our own clock, epoch ms. */
  now(): number;
  /** Aborts when the poll must end. */
  readonly signal: AbortSignal;
}

/**
 * Reads the new items since the cursor once. If there are more than one poll may return or can read in its time, it
 * narrows the period, and later polls continue from there. On failure it rejects, and the cursor does not change.
 */
async function pollPeriod<T>(
  source: PeriodSource<T>,
  cursor: Cursor,
  limits: PollLimits,
): Promise<NewItems<T>> {
  let period = nextPeriod(cursor, limits.now());
  for (;;) {
    const narrower = narrowerPeriod(cursor, period);
    const maxItems =
      narrower === undefined ? Number.POSITIVE_INFINITY : limits.maxNewItems + seenCount(cursor);
    const reading = await readInTime(source, { period, maxItems }, limits.signal);
    if (reading === 'outOfTime') {
      if (narrower === undefined) throw tooSlow();
      return { items: [], cursor: { ...cursor, spanMs: narrower.to - cursor.upTo } };
    }
    if (reading !== 'tooMany') return newItemsOf(cursor, reading, { ...limits, period, now: limits.now() });
    period = narrower ?? period;
  }
}

/**
 * Reads periods until the time at which it began. Stops when the time is over or most of a poll's limit is used.
 * Rejects only if the first period fails. Otherwise the earlier periods count, and the next poll gets the failure
 * again.
 */
export async function pollPeriods<T>(
  source: PeriodSource<T>,
  cursor: Cursor,
  limits: PollLimits,
): Promise<NewItems<T>> {
  const begunAt = limits.now();
  let newItems = await pollPeriod(source, cursor, limits);
  const isBehind = ({ spanMs, upTo, skewMs }: Cursor): boolean =>
    spanMs !== undefined && upTo < begunAt + skewMs;
  while (isBehind(newItems.cursor) && !limits.signal.aborted) {
    const maxNewItems = limits.maxNewItems - newItems.items.length;
    if (maxNewItems < limits.maxNewItems * WORTH_READING) break;
    // The items so far are kept. The next poll begins there, and reports the error if it persists.
    const next = await pollPeriod(source, newItems.cursor, { ...limits, maxNewItems }).catch(() => undefined);
    if (next === undefined) break;
    newItems = { cursor: next.cursor, items: oldestFirst([...newItems.items, ...next.items]) };
  }
  return newItems;
}

/**
 * The cursor of a trigger that starts now: all existing items count as seen. First corrects our clock with the
 * service's clock.
 */
export async function startNow<T>(source: PeriodSource<T>, limits: PollLimits): Promise<Cursor> {
  const { cursor } = await noteExisting(source, 0, limits);
  if (cursor.skewMs === 0) return cursor;
  return (await noteExisting(source, cursor.skewMs, limits)).cursor;
}

async function noteExisting<T>(
  source: PeriodSource<T>,
  skewMs: number,
  limits: PollLimits,
): Promise<NewItems<T>> {
  const to = limits.now() + skewMs;
  for (let backMs = limits.overlapMs; ; backMs = Math.floor(backMs / 2)) {
    const period = { from: to - backMs, to };
    const maxItems = backMs <= 1 ? Number.POSITIVE_INFINITY : limits.maxSeen;
    const reading = await readInTime(source, { period, maxItems }, limits.signal);
    if (reading === 'outOfTime') throw tooSlow();
    if (reading === 'tooMany') continue;
    const whole = await readFurther(source, { period, maxItems, reading }, limits.signal);
    return newItemsOf(cursorAt(period.from, skewMs), whole, { ...limits, period, now: limits.now() });
  }
}

/**
 * If the first read is incomplete, skipped items would later count as new. So it reads again, and items from any of
 * the reads count as seen.
 */
async function readFurther<T>(
  source: PeriodSource<T>,
  { period, maxItems, reading }: { period: TimePeriod; maxItems: number; reading: PollResult<T> },
  signal: AbortSignal,
): Promise<PollResult<T>> {
  let whole = reading;
  for (let again = 0; again < MAX_AGAIN && !whole.complete; again += 1) {
    const more = await readInTime(source, { period, maxItems }, signal);
    if (more === 'tooMany' || more === 'outOfTime') break;
    const ids = new Set(more.found.map(({ id }) => id));
    whole = { ...more, found: [...more.found, ...whole.found.filter(({ id }) => !ids.has(id))] };
  }
  return whole;
}

function readInTime<T>(
  source: PeriodSource<T>,
  { period, maxItems }: { readonly period: TimePeriod; readonly maxItems: number },
  signal: AbortSignal,
): Promise<PollResult<T> | 'tooMany' | 'outOfTime'> {
  return source
    .read(period, maxItems, signal)
    .catch((error: unknown) => (signal.aborted ? 'outOfTime' : Promise.reject(error)));
}

function tooSlow(): MediaServiceError {
  return new MediaServiceError('ServiceFailed', 'The service answers too slowly for one poll', {
    hint: 'Shorten "Overlap" in the options of the trigger, or narrow its filters, so that a poll reads fewer records.',
  });
}
