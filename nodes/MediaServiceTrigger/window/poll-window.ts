import { MediaServiceError } from '../../../api/errors';
import { cursorAt, seenCount } from './cursor';
import type { Cursor } from './cursor';
import { narrowerWindow, nextWindow } from './next-window';
import type { TimeWindow } from './next-window';
import { inOrder, takeReading } from './take-reading';
import type { Reading, Retention, Taken } from './take-reading';

/** Of a start; each reading is up to three passes already. */
const MOST_AGAIN = 3;
/** For less than this share of what a poll may bring, a window would be narrowed over and over. */
const WORTH_READING = 1 / 4;

/** Things that can be asked for by the time of their sending. */
export interface WindowSource<T> {
  /** All of the window, or `tooMany` as soon as it is known that there are more than `most`. Rejects when `signal` aborts. */
  read(window: TimeWindow, most: number, signal: AbortSignal): Promise<Reading<T> | 'tooMany'>;
}

export interface WindowLimits extends Retention {
  /** About how many things one poll brings at most; more come only where they were sent in the same millisecond. */
  readonly mostFresh: number;
  /** Our own clock, epoch ms. */
  now(): number;
  /** Aborts when the poll has to come to its end. */
  readonly signal: AbortSignal;
}

/**
 * Reads once what is new since the cursor. Where it is more than one poll may bring, or more than it can read in its time, the window is narrowed, and the
 * following polls go on from there. A failure rejects, and the cursor stands as before.
 */
export async function pollWindow<T>(
  source: WindowSource<T>,
  cursor: Cursor,
  limits: WindowLimits,
): Promise<Taken<T>> {
  let window = nextWindow(cursor, limits.now());
  for (;;) {
    const narrower = narrowerWindow(cursor, window);
    const most = narrower === undefined ? Number.POSITIVE_INFINITY : limits.mostFresh + seenCount(cursor);
    const reading = await readInTime(source, { window, most }, limits.signal);
    if (reading === 'outOfTime') {
      if (narrower === undefined) throw tooSlow();
      return { fresh: [], cursor: { ...cursor, spanMs: narrower.to - cursor.upTo } };
    }
    if (reading !== 'tooMany') return takeReading(cursor, reading, { ...limits, window, now: limits.now() });
    window = narrower ?? window;
  }
}

/**
 * Reads window after window up to the moment of its begin, while there is time and a good part of what one poll may bring is not there yet.
 * Only a failure of the first one rejects: what was read before a later one counts, and the next poll meets that failure again.
 */
export async function pollWindows<T>(
  source: WindowSource<T>,
  cursor: Cursor,
  limits: WindowLimits,
): Promise<Taken<T>> {
  const begunAt = limits.now();
  let taken = await pollWindow(source, cursor, limits);
  const isBehind = ({ spanMs, upTo, skewMs }: Cursor): boolean =>
    spanMs !== undefined && upTo < begunAt + skewMs;
  while (isBehind(taken.cursor) && !limits.signal.aborted) {
    const mostFresh = limits.mostFresh - taken.fresh.length;
    if (mostFresh < limits.mostFresh * WORTH_READING) break;
    const next = await pollWindow(source, taken.cursor, { ...limits, mostFresh }).catch(() => undefined);
    if (next === undefined) break;
    taken = { cursor: next.cursor, fresh: inOrder([...taken.fresh, ...next.fresh]) };
  }
  return taken;
}

/**
 * The cursor of a trigger that starts now: what can be found already counts as seen. Our clock is set right by the service's before.
 */
export async function startNow<T>(source: WindowSource<T>, limits: WindowLimits): Promise<Cursor> {
  const { cursor } = await noteExisting(source, 0, limits);
  if (cursor.skewMs === 0) return cursor;
  return (await noteExisting(source, cursor.skewMs, limits)).cursor;
}

async function noteExisting<T>(
  source: WindowSource<T>,
  skewMs: number,
  limits: WindowLimits,
): Promise<Taken<T>> {
  const to = limits.now() + skewMs;
  for (let backMs = limits.overlapMs; ; backMs = Math.floor(backMs / 2)) {
    const window = { from: to - backMs, to };
    const most = backMs <= 1 ? Number.POSITIVE_INFINITY : limits.mostSeen;
    const reading = await readInTime(source, { window, most }, limits.signal);
    if (reading === 'outOfTime') throw tooSlow();
    if (reading === 'tooMany') continue;
    const whole = await readFurther(source, { window, most, reading }, limits.signal);
    return takeReading(cursorAt(window.from, skewMs), whole, { ...limits, window, now: limits.now() });
  }
}

/** What an incomplete reading of a start skips would come later as if it were new: so it is read again, and what any reading saw counts. */
async function readFurther<T>(
  source: WindowSource<T>,
  { window, most, reading }: { window: TimeWindow; most: number; reading: Reading<T> },
  signal: AbortSignal,
): Promise<Reading<T>> {
  let whole = reading;
  for (let again = 0; again < MOST_AGAIN && !whole.complete; again += 1) {
    const more = await readInTime(source, { window, most }, signal);
    if (more === 'tooMany' || more === 'outOfTime') break;
    const ids = new Set(more.found.map(({ id }) => id));
    whole = { ...more, found: [...more.found, ...whole.found.filter(({ id }) => !ids.has(id))] };
  }
  return whole;
}

function readInTime<T>(
  source: WindowSource<T>,
  { window, most }: { readonly window: TimeWindow; readonly most: number },
  signal: AbortSignal,
): Promise<Reading<T> | 'tooMany' | 'outOfTime'> {
  return source
    .read(window, most, signal)
    .catch((error: unknown) => (signal.aborted ? 'outOfTime' : Promise.reject(error)));
}

function tooSlow(): MediaServiceError {
  return new MediaServiceError('ServiceFailed', 'The service answers too slowly for one poll', {
    hint: 'Shorten "Overlap" in the options of the trigger, or narrow its filters, so that a poll reads fewer records.',
  });
}
