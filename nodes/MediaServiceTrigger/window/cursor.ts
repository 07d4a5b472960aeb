import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';

/**
 * What a trigger remembers between polls of things that are found by their time. Whatever was sent from `from` on and is not among
 * `seen` is new; nothing sent before `from` is looked at again. Times are the service's, in epoch ms.
 */
export interface Cursor {
  /** All that was sent before it was read at least once; what turns up there later is late. */
  readonly upTo: number;
  /** Never after `upTo`. */
  readonly from: number;
  /** Oldest first. */
  readonly seen: readonly SeenGroup[];
  /** The service's clock minus ours, ms, as last measured. */
  readonly skewMs: number;
  /** How far the next window may reach beyond `upTo`, ms; unset: to the present. */
  readonly spanMs?: number;
}

/** What one reading found: all of it was sent before `until`, so it is remembered until `from` has passed that. */
export interface SeenGroup {
  readonly until: number;
  readonly ids: readonly string[];
}

/** New is what was sent from `at` on. */
export function cursorAt(at: number, skewMs = 0): Cursor {
  return { upTo: at, from: at, seen: [], skewMs };
}

export function seenCount({ seen }: Cursor): number {
  return seen.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** The cursor as it is stored. */
export function cursorJson({ upTo, from, seen, skewMs, spanMs }: Cursor): JsonObject {
  const groups = seen.map(({ until, ids }) => ({ until, ids: [...ids] }));
  return { upTo, from, seen: groups, skewMs, ...(spanMs === undefined ? {} : { spanMs }) };
}

/** A stored cursor; undefined where what is stored is none. */
export function readCursor(stored: unknown): Cursor | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { upTo, from, seen, skewMs, spanMs } = stored;
  if (!isMoment(upTo) || !isMoment(from) || from > upTo || !isMoment(skewMs)) return undefined;
  if (spanMs !== undefined && !(isMoment(spanMs) && spanMs > 0)) return undefined;
  if (!Array.isArray(seen)) return undefined;
  const groups = seen.flatMap(readGroup);
  if (groups.length !== seen.length) return undefined;
  return { upTo, from, seen: groups, skewMs, ...(spanMs === undefined ? {} : { spanMs }) };
}

function readGroup(stored: unknown): SeenGroup[] {
  if (!isJsonObject(stored) || !isMoment(stored['until']) || !Array.isArray(stored['ids'])) return [];
  const ids = stored['ids'].filter((id) => typeof id === 'string');
  return ids.length === stored['ids'].length ? [{ until: stored['until'], ids }] : [];
}

function isMoment(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
