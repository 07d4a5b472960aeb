import { EventEmitter, once } from 'node:events';
import type { FaultDefinition, FaultOperation } from './fault';
import { FAULTS } from './faults';

/** A fault that waits for a matching request. */
export interface ArmedFault {
  readonly definition: FaultDefinition;
  /** Number of requests to which it will still apply. */
  remaining: number;
  readonly part?: number;
  readonly operation?: string;
  /** Bytes of the body that pass before the fault. Unset: half of the part. */
  readonly bytes?: number;
  readonly ms?: number;
  /** Bytes per second. */
  readonly rate?: number;
  /** Retry-After. */
  readonly seconds?: number;
  readonly reason?: string;
  /** It was cleared. A request that took it before, and has not reached it, is not held by it any more. */
  isCleared?: boolean;
}

/** A request, or the processing of a session, to which a fault may apply. */
export interface FaultTarget {
  readonly operation: FaultOperation;
  readonly when: FaultDefinition['when'];
  readonly part?: number;
  readonly uploadId?: string | undefined;
}

const NUMBERS = ['part', 'bytes', 'ms', 'rate', 'seconds'];
const TEXTS = ['operation', 'reason'];

/**
 * Reads `NAME[:COUNT][:key=value,…]`: `put-503`, `put-503:3`, `hold:part=2,bytes=1000000`, `processing-failed:codec
 * not supported`, `rate-limit-429:always:operation=search`. COUNT defaults to 1; `always` never ends. Keys: part,
 * operation, bytes, ms, rate (bytes per second), seconds (Retry-After), reason. Text without a key is the reason.
 * @throws RangeError naming the fault, or an unknown key.
 */
export function parseFault(text: string): ArmedFault {
  const [, name = '', count, rest = ''] =
    /^([^:]+)(?::(\d+|always)(?=$|[:,]))?(?:[:,](.*))?$/s.exec(text) ?? [];
  const definition = FAULTS.get(name);
  if (definition === undefined) throw new RangeError(`There is no fault named "${name}".`);
  const values = new Map<string, string>();
  const words: string[] = [];
  for (const piece of rest === '' ? [] : rest.split(',')) {
    const [, key, value] = /^([a-z]+)=(.*)$/s.exec(piece) ?? [];
    if (key !== undefined && value !== undefined) values.set(key, value);
    else words.push(piece);
  }
  if (words.length > 0) values.set('reason', words.join(','));
  const fault: Record<string, unknown> = {};
  for (const [key, value] of values) {
    const isNumber = NUMBERS.includes(key);
    if (isNumber && !/^\d+$/.test(value))
      throw new RangeError(`"${key}" of the fault "${text}" is not a whole number.`);
    if (!isNumber && !TEXTS.includes(key))
      throw new RangeError(`The fault "${text}" has the unknown key "${key}".`);
    fault[key] = isNumber ? Number(value) : value;
  }
  return { definition, remaining: count === 'always' ? Infinity : Number(count ?? 1), ...fault };
}

/** The armed faults, in the order in which they were armed. Each request to which a fault applies uses it up once. */
export class FaultBook {
  readonly #armed: ArmedFault[] = [];

  constructor(private readonly onStruck: (fault: ArmedFault, target: FaultTarget) => void) {}

  arm(text: string): void {
    this.#armed.push(parseFault(text));
  }

  clear(): void {
    for (const fault of this.#armed) fault.isCleared = true;
    this.#armed.length = 0;
  }

  armed(): { name: string; remaining: number | 'always' }[] {
    return this.#armed.map(({ definition, remaining }) => ({
      name: definition.name,
      remaining: Number.isFinite(remaining) ? remaining : 'always',
    }));
  }

  /** Returns the first armed fault that matches this target, and uses it up once. */
  take(target: FaultTarget): ArmedFault | undefined {
    const at = this.#armed.findIndex((fault) => befalls(fault, target));
    const fault = this.#armed[at];
    if (fault === undefined) return undefined;
    fault.remaining -= 1;
    if (fault.remaining <= 0) this.#armed.splice(at, 1);
    this.onStruck(fault, target);
    return fault;
  }
}

function befalls(fault: ArmedFault, { operation, when, part }: FaultTarget): boolean {
  if (fault.remaining <= 0 || fault.definition.when !== when) return false;
  if (fault.part !== undefined && fault.part !== part) return false;
  if (fault.definition.at !== 'any') return fault.definition.at === operation;
  if (fault.operation !== undefined) return fault.operation === operation;
  return operation !== 'login' && operation !== 'put' && operation !== 'processing';
}

/** Holds work until it is released. Tests use this to stop an upload in the middle of a part. */
export class Gates {
  readonly #doors = new EventEmitter().setMaxListeners(0);

  /** Resolves on `release`, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    // The signal ends the wait like a release.
    await once(this.#doors, 'open', { signal }).catch(() => undefined);
  }

  /** Releases all held work, and returns its number. */
  release(): number {
    const held = this.#doors.listenerCount('open');
    this.#doors.emit('open');
    return held;
  }
}
