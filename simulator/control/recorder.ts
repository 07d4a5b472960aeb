import { EventEmitter, on } from 'node:events';
import type { ServiceOperation } from '../faults/fault';

/**
 * The operation of a request. `put` is a request to storage, `redirected` a followed redirect, `unknown` no
 * operation.
 */
export type SeenOperation = ServiceOperation | 'put' | 'redirected' | 'unknown';

/**
 * What happened, in order. Tests await these events instead of sleeping. Never contains a token, a secret or a URL's
 * query.
 */
export type EventName =
  | 'request' // answered; or the connection ended without an answer (status 0)
  | 'login'
  | 'fault' // an armed fault was applied
  | 'started' // a session was created
  | 'start-failed' // a fault instead of a start, with the title that it would have given
  | 'searched' // a media search was carried out, with the tags that it asked for
  | 'search-failed' // a fault or a refused token instead of a media search, with the tags that it asked for
  | 'part-begun'
  | 'part-stored'
  | 'part-broken' // the body ended early, or storage refused it
  | 'held' // a `hold` or `processing-stuck` waits for its release
  | 'complete-accepted'
  | 'session-ended'; // COMPLETED or FAILED

export interface EventFacts {
  readonly operation?: SeenOperation | 'processing';
  readonly status?: number;
  readonly part?: number | undefined;
  readonly uploadId?: string | undefined;
  readonly mediaId?: string;
  readonly bytes?: number;
  readonly fault?: string;
  readonly title?: string;
  readonly tags?: Readonly<Record<string, unknown>>;
  /** Why something was refused. For `session-ended`, the session's status. */
  readonly reason?: string;
}

export interface SimulatorEvent extends EventFacts {
  /** Counts from 1, without gaps. */
  readonly seq: number;
  /** Epoch ms. */
  readonly at: number;
  readonly event: EventName;
}

/** Older events are dropped; counters are not. `seq` of the first event shows whether any was. */
const KEPT_EVENTS = 200_000;

export class Recorder {
  readonly counts = {
    /** Requests that were answered or cut off, by operation. */
    requests: {} as Partial<Record<SeenOperation, number>>,
    /** By operation, then by status; 0 = no answer. */
    answers: {} as Partial<Record<SeenOperation, Record<string, number>>>,
    logins: 0,
    starts: 0,
  };
  readonly faults: Record<string, number> = {};
  readonly bearerToStorage: { method: string; part: number; at: number }[] = [];
  #events: SimulatorEvent[] = [];
  #seq = 0;
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  constructor(private readonly now: () => number) {}

  emit(event: EventName, facts: EventFacts = {}): void {
    const entry: SimulatorEvent = { seq: ++this.#seq, at: this.now(), event, ...facts };
    this.#events.push(entry);
    if (this.#events.length > KEPT_EVENTS * 2) this.#events = this.#events.slice(-KEPT_EVENTS);
    this.#emitter.emit('event', entry);
  }

  answered(operation: SeenOperation, status: number, facts: EventFacts = {}): void {
    const { requests, answers } = this.counts;
    requests[operation] = (requests[operation] ?? 0) + 1;
    const ofOperation = (answers[operation] ??= {});
    ofOperation[status] = (ofOperation[status] ?? 0) + 1;
    this.emit('request', { operation, status, ...facts });
  }

  events(): readonly SimulatorEvent[] {
    return this.#events;
  }

  /** Resolves with the first event, past or future, that matches. Rejects when the signal aborts. */
  async waitFor(matches: (event: SimulatorEvent) => boolean, signal?: AbortSignal): Promise<SimulatorEvent> {
    const past = this.#events.find(matches);
    if (past !== undefined) return past;
    signal?.throwIfAborted();
    const events = on(this.#emitter, 'event', { signal }) as AsyncIterable<[SimulatorEvent]>;
    for await (const [event] of events) if (matches(event)) return event;
    throw new Error('The events have no end.');
  }
}
