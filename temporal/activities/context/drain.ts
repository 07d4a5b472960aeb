import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';

/** The end of a worker process as its parts see it. */
export interface Drain {
  /** A part begins; `leave` when it has ended, however. */
  enter(part: DrainPart): DrainPlace;
  /** Parts that can end within the grace go on; all others are given back at once, for another worker to send. */
  begin(): void;
  /** From then on nothing begins that another worker could do. */
  hasBegun(): boolean;
}

export interface DrainPart {
  readonly partNumber: number;
  readonly bytes: number;
}

export interface DrainPlace {
  /** Aborts with `WorkerBusy` where the part is given back. */
  readonly signal: AbortSignal;
  /** So many bytes have left in this try; 0 begins anew. */
  onBytes(bytesSoFar: number): void;
  leave(): void;
}

export interface DrainParts {
  readonly clock: Clock;
  readonly graceMs: number;
  /** Bytes per second of one part as seen so far; undefined: none yet. */
  readonly bytesPerSecond: () => number | undefined;
}

/** Of the grace; the rest is for storage's answer and for what the forecast does not see. */
const USABLE = 0.8;
/** Another worker shall take it now. */
const NEXT_TRY_MS = 100;

interface Sending extends DrainPart {
  readonly giveUp: AbortController;
  bytesSoFar: number;
  /** When its first byte left, epoch ms. */
  since: number | undefined;
}

export function createDrain({ clock, graceMs, bytesPerSecond }: DrainParts): Drain {
  const sending = new Set<Sending>();
  let draining = false;

  function rateOf({ bytesSoFar, since }: Sending): number | undefined {
    const ms = since === undefined ? 0 : clock.now() - since;
    return bytesSoFar > 0 && ms > 0 ? (bytesSoFar / ms) * 1000 : bytesPerSecond();
  }
  function giveBackIfTooLong(part: Sending): void {
    const rate = rateOf(part);
    const neededMs = rate === undefined ? undefined : ((part.bytes - part.bytesSoFar) / rate) * 1000;
    if (neededMs !== undefined && neededMs <= graceMs * USABLE) return;
    part.giveUp.abort(givenBack(part, neededMs));
  }

  return {
    hasBegun: () => draining,
    enter({ partNumber, bytes }) {
      const giveUp = new AbortController();
      const part: Sending = { partNumber, bytes, giveUp, bytesSoFar: 0, since: undefined };
      sending.add(part);
      // It was on its way here when the drain began.
      if (draining) giveBackIfTooLong(part);
      return {
        signal: giveUp.signal,
        onBytes(bytesSoFar) {
          if (bytesSoFar === 0) part.since = undefined;
          else part.since ??= clock.now();
          part.bytesSoFar = bytesSoFar;
        },
        leave: () => void sending.delete(part),
      };
    },
    begin() {
      draining = true;
      for (const part of sending) giveBackIfTooLong(part);
    },
  };
}

function givenBack({ partNumber, bytesSoFar }: Sending, neededMs: number | undefined): MediaServiceError {
  const need =
    neededMs === undefined
      ? 'it has not shown how long it takes'
      : `it would take another ${String(Math.ceil(neededMs / 1000))} s`;
  return new MediaServiceError(
    'WorkerBusy',
    `part ${String(partNumber)}: given back, since this worker is being stopped and ${need}`,
    {
      operation: `part ${String(partNumber)}`,
      outcome: bytesSoFar === 0 ? 'unsent' : 'ambiguous',
      retryAfterMs: NEXT_TRY_MS,
      details: { partNumber },
      hint: 'Another worker sends it; a longer --grace lets slower parts end.',
    },
  );
}
