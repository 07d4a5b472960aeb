import type { Cursor } from './cursor';
import { seenCount } from './cursor';
import type { TimePeriod } from './period-to-read';

/** An item of any kind. */
export interface FoundItem<T> {
  /** The same for the same item. Short, because it is stored. */
  readonly id: string;
  /** When the item was sent, epoch ms, if known. */
  readonly at?: number | undefined;
  readonly value: T;
}

export interface PollResult<T> {
  /** Each item once, in the service's order. */
  readonly found: readonly FoundItem<T>[];
  /** False if pages shifted during the read, so that items may have been skipped. */
  readonly complete: boolean;
  /** The service's clock, epoch ms, if the answer contained it. */
  readonly serviceNow?: number;
}

export interface Retention {
  /** How late an item may arrive and still be found, ms. */
  readonly overlapMs: number;
  /** Maximum number of remembered ids, besides those of the newest read. */
  readonly maxSeen: number;
}

export interface NewItem<T> extends FoundItem<T> {
  /** The item was sent in a period that had been read already. */
  readonly late: boolean;
}

export interface NewItems<T> {
  readonly cursor: Cursor;
  readonly items: readonly NewItem<T>[];
}

/**
 * The items of the period that were never seen, and the cursor after them. They are sorted by time if every item has
 * one. After an incomplete read, the whole period is read again. `now`: our own clock when the answer came.
 */
export function newItemsOf<T>(
  cursor: Cursor,
  reading: PollResult<T>,
  at: Retention & { readonly period: TimePeriod; readonly now: number },
): NewItems<T> {
  const { period, now } = at;
  const known = new Set(cursor.seen.flatMap(({ ids }) => ids));
  const items = oldestFirst(reading.found.filter(({ id }) => !known.has(id))).map((item) => ({
    ...item,
    late: item.at !== undefined && item.at < cursor.upTo,
  }));
  const upTo = Math.max(cursor.upTo, Math.min(period.to, reading.serviceNow ?? period.to));
  const skewMs = reading.serviceNow === undefined ? cursor.skewMs : skewOf(reading.serviceNow, now);
  const group = { until: period.to, ids: items.map(({ id }) => id) };
  const kept = {
    upTo,
    from: reading.complete ? Math.max(cursor.from, upTo - at.overlapMs) : cursor.from,
    seen: group.ids.length === 0 ? cursor.seen : [...cursor.seen, group],
    skewMs,
  };
  const caughtUp = period.to >= now + skewMs - CLOCK_GRAIN_MS;
  const spanMs = caughtUp ? undefined : Math.max(1, period.to - cursor.upTo) * 2;
  return {
    items,
    cursor: { ...withinBounds(kept, at.maxSeen), ...(spanMs === undefined ? {} : { spanMs }) },
  };
}

/** Clocks in headers have whole seconds, and the answer took some time to arrive. */
const CLOCK_GRAIN_MS = 2_000;

function skewOf(serviceNow: number, now: number): number {
  const skewMs = serviceNow - now;
  return Math.abs(skewMs) <= CLOCK_GRAIN_MS ? 0 : skewMs;
}

/** A stable sort by time. If one item has no time, the service's order stays. */
export function oldestFirst<S extends FoundItem<unknown>>(items: S[]): S[] {
  if (items.some(({ at }) => at === undefined)) return items;
  return items.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

/**
 * Forgets ids that can't appear again. If there are still too many, forgets the oldest ids and no longer reads their
 * period.
 */
function withinBounds(cursor: Cursor, maxSeen: number): Cursor {
  let { from } = cursor;
  let seen = cursor.seen.filter(({ until }) => until > from);
  while (seenCount({ ...cursor, seen }) > maxSeen) {
    const [oldest, ...rest] = seen;
    // Items sent after `upTo` may still arrive.
    if (oldest === undefined || rest.length === 0 || oldest.until > cursor.upTo) break;
    from = oldest.until;
    // Later groups may end earlier if the clock of the first ones was fast.
    seen = rest.filter(({ until }) => until > from);
  }
  return { ...cursor, from, seen };
}
