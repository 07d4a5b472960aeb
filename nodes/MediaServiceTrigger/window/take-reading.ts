import type { Cursor } from './cursor';
import { seenCount } from './cursor';
import type { TimeWindow } from './next-window';

/** Something that was found, whatever it is. */
export interface Sighting<T> {
  /** Equal for the same thing; short, since it is remembered. */
  readonly id: string;
  /** When it was sent, epoch ms, where it tells. */
  readonly at?: number | undefined;
  readonly value: T;
}

export interface Reading<T> {
  /** Each thing once, in the order in which the service gave them. */
  readonly found: readonly Sighting<T>[];
  /** False where pages shifted while they were read, so that something may have been skipped. */
  readonly complete: boolean;
  /** The service's clock, epoch ms, where the answer told it. */
  readonly serviceNow?: number;
}

export interface Retention {
  /** How late something may arrive and still be found, ms. */
  readonly overlapMs: number;
  /** Ids that are remembered at most, besides those of the newest reading. */
  readonly mostSeen: number;
}

export interface Fresh<T> extends Sighting<T> {
  /** It was sent before what had been read already. */
  readonly late: boolean;
}

export interface Taken<T> {
  readonly cursor: Cursor;
  readonly fresh: readonly Fresh<T>[];
}

/**
 * What a reading of the window brings that was never seen, in the order of sending where everything tells its time, and the cursor after
 * it. After an incomplete reading the whole window is read again. `now` is our own clock when the answer came.
 */
export function takeReading<T>(
  cursor: Cursor,
  reading: Reading<T>,
  at: Retention & { readonly window: TimeWindow; readonly now: number },
): Taken<T> {
  const { window, now } = at;
  const known = new Set(cursor.seen.flatMap(({ ids }) => ids));
  const fresh = inOrder(reading.found.filter(({ id }) => !known.has(id))).map((sighting) => ({
    ...sighting,
    late: sighting.at !== undefined && sighting.at < cursor.upTo,
  }));
  const upTo = Math.max(cursor.upTo, Math.min(window.to, reading.serviceNow ?? window.to));
  const skewMs = reading.serviceNow === undefined ? cursor.skewMs : skewOf(reading.serviceNow, now);
  const group = { until: window.to, ids: fresh.map(({ id }) => id) };
  const kept = {
    upTo,
    from: reading.complete ? Math.max(cursor.from, upTo - at.overlapMs) : cursor.from,
    seen: group.ids.length === 0 ? cursor.seen : [...cursor.seen, group],
    skewMs,
  };
  const caughtUp = window.to >= now + skewMs - CLOCK_GRAIN_MS;
  const spanMs = caughtUp ? undefined : Math.max(1, window.to - cursor.upTo) * 2;
  return {
    fresh,
    cursor: { ...withinBounds(kept, at.mostSeen), ...(spanMs === undefined ? {} : { spanMs }) },
  };
}

/** Clocks in headers count whole seconds, and the answer was on its way for a while. */
const CLOCK_GRAIN_MS = 2_000;

function skewOf(serviceNow: number, now: number): number {
  const skewMs = serviceNow - now;
  return Math.abs(skewMs) <= CLOCK_GRAIN_MS ? 0 : skewMs;
}

/** A stable order by time; where one thing tells none, the service's order stays. */
export function inOrder<S extends Sighting<unknown>>(sightings: S[]): S[] {
  if (sightings.some(({ at }) => at === undefined)) return sightings;
  return sightings.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/** Forgets what cannot turn up again; and where too much is remembered, gives up the oldest together with the time it stands for. */
function withinBounds(cursor: Cursor, mostSeen: number): Cursor {
  let { from } = cursor;
  let seen = cursor.seen.filter(({ until }) => until > from);
  while (seenCount({ ...cursor, seen }) > mostSeen) {
    const [oldest, ...rest] = seen;
    // What was sent after `upTo` may still be on its way.
    if (oldest === undefined || rest.length === 0 || oldest.until > cursor.upTo) break;
    from = oldest.until;
    // Later groups may end earlier, where the first ones were read by a clock that was fast.
    seen = rest.filter(({ until }) => until > from);
  }
  return { ...cursor, from, seen };
}
