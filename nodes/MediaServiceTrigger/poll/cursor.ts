import { createHash } from 'node:crypto';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';

/**
 * What a trigger remembers between polls of items that are found by their time. An item sent at `from` or later is new
 * unless `seen` contains it. Items sent before `from` are never read again. Times are the service's, in epoch ms.
 */
export interface Cursor {
  /** Everything sent before this time was read at least once. An item that appears there later is late. */
  readonly upTo: number;
  /** Never after `upTo`. */
  readonly from: number;
  /** Oldest first. */
  readonly seen: readonly SeenGroup[];
  /** The service's clock minus ours, ms, at the last measurement. */
  readonly skewMs: number;
  /** How far the next period may reach beyond `upTo`, ms. Unset: to the present. */
  readonly spanMs?: number;
}

/** The ids of one read. All were sent before `until`, so they are remembered until `from` has passed it. */
export interface SeenGroup {
  readonly until: number;
  readonly ids: readonly string[];
}

/** A cursor for which everything sent at `at` or later is new. */
export function cursorAt(at: number, skewMs = 0): Cursor {
  return { upTo: at, from: at, seen: [], skewMs };
}

export function seenCount({ seen }: Cursor): number {
  return seen.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** The cursor in the stored form. */
export function cursorJson({ upTo, from, seen, skewMs, spanMs }: Cursor): JsonObject {
  const groups = seen.map(({ until, ids }) => ({ until, ids: [...ids] }));
  return { upTo, from, seen: groups, skewMs, ...(spanMs === undefined ? {} : { spanMs }) };
}

/** A stored cursor, or undefined if the value is not one. */
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

/** 72 bits: with 100,000 remembered ids, a new one looks like a known one once in 10^16. */
const LENGTH = 12;

/** The short form of an id, for storing. */
export function shortId(identity: string): string {
  return createHash('sha256').update(identity).digest('base64url').slice(0, LENGTH);
}
