import { systemCodeOf } from '../../sources/source-failure';

/** Who holds the lock of an ingest key. */
export interface Holder {
  readonly token: string;
  readonly pid: number;
  /** What `pid` counts in, see `processNumbers`. */
  readonly numbers: string;
  /** For people to read. */
  readonly host: string;
}

export type Life =
  /** It works right now. */
  | 'alive'
  /** It ended. */
  | 'gone'
  /** It may work on another machine, or a process that has nothing to do with it has its number. */
  | 'unknown';

/** A heartbeat of this machine that is younger shows that the process of its number is the holder. */
const RECENT_MS = 45_000;

/** Of this process, also of a second copy of this code in it: after a restart in a container another process may have its number. */
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

/** What is known of a holder at once. Times are only compared with a holder of this machine, whose clock is this one. */
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

function runs(pid: number): boolean {
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
