import { createHash } from 'node:crypto';
import { isJsonObject } from '../../api/json';

/**
 * What a trigger remembers between polls of items that are found by their time. An item sent at `from` or later is new
 * unless `seen` has it. Items sent before `from` are never read again. Times are the service's, in epoch ms.
 */
// A type, because n8n stores it as JSON.
export type Cursor = {
  /** Everything sent before this time was read at least once. An item that appears there later is late. */
  readonly upTo: number;
  /** Never after `upTo`. */
  readonly from: number;
  /** The items read since `from`, by their short ids. Each was sent before its value, and is remembered until then. */
  readonly seen: Readonly<Record<string, number>>;
  /** The service's clock minus ours, ms, at the last measurement. */
  readonly skewMs: number;
};

/** A cursor for which everything sent at `at` or later is new. */
export function cursorAt(at: number, skewMs = 0): Cursor {
  return { upTo: at, from: at, seen: {}, skewMs };
}

/** A stored cursor, or undefined if the value is not one. */
export function readCursor(stored: unknown): Cursor | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { upTo, from, seen, skewMs } = stored;
  if (!isMoment(upTo) || !isMoment(from) || from > upTo || !isMoment(skewMs)) return undefined;
  if (!isJsonObject(seen) || !isMoments(seen)) return undefined;
  return { upTo, from, seen, skewMs };
}

function isMoments(seen: object): seen is Record<string, number> {
  return Object.values(seen).every(isMoment);
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
