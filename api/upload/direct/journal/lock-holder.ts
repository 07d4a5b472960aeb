import { systemCodeOf } from '../../../../files/system-error';

/** The process that holds the lock of an ingest key. */
export interface Holder {
  readonly token: string;
  readonly pid: number;
  /** The number space of `pid`, see `processNumbers`. */
  readonly numbers: string;
  /** For people. */
  readonly host: string;
}

type Life =
  /** It is running. */
  | 'alive'
  /** It ended. */
  | 'gone'
  /** It may run on another machine, or an unrelated process may have its number. */
  | 'unknown';

/** If a heartbeat from this machine is younger than this, the process with its number is the holder. */
const RECENT_MS = 45_000;

/**
 * The locks that this process holds, including those of a second copy of this code in it. After a restart in a
 * container, another process may have its number.
 */
const HELD = Symbol.for('n8n-nodes-media-service held journals');

export function heldHere(): Set<string> {
  const known: unknown = Reflect.get(globalThis, HELD);
  if (isSet(known)) return known;
  const held = new Set<string>();
  Reflect.set(globalThis, HELD, held);
  return held;
}

function isSet(value: unknown): value is Set<string> {
  return value instanceof Set;
}

/**
 * Says what is known about a holder without waiting. It compares times only with a holder on this machine, which has
 * the same clock.
 */
export function lifeOf(
  holder: Holder,
  own: Pick<Holder, 'pid' | 'numbers'>,
  { heartbeatAt, now }: { readonly heartbeatAt: number; readonly now: number },
): Life {
  if (heldHere().has(holder.token)) return 'alive';
  if (holder.numbers !== own.numbers) return 'unknown';
  if (holder.pid === own.pid || !runs(holder.pid)) return 'gone';
  return Math.abs(now - heartbeatAt) < RECENT_MS ? 'alive' : 'unknown';
}

export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

export function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'token' in value &&
    'pid' in value &&
    'numbers' in value &&
    'host' in value &&
    typeof value.token === 'string' &&
    typeof value.pid === 'number' &&
    typeof value.numbers === 'string' &&
    typeof value.host === 'string'
  );
}
