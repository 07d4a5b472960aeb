import type { Clock } from '../../api/clock';
import { MediaServiceError } from '../../api/errors';

/** Controls how parts end when a worker process stops. */
export interface Drain {
  /** Registers a part that begins. Call `leave` when it has ended, with or without success. */
  enter(part: DrainPart): DrainSlot;
  /**
   * Parts that can end within the grace period continue. All others are requeued at once, so that another worker sends
   * them.
   */
  begin(): void;
  /** When true, this worker must not begin anything that another worker could do. */
  hasBegun(): boolean;
}

interface DrainPart {
  readonly partNumber: number;
  readonly bytes: number;
}

interface DrainSlot {
  /** Aborts with `WorkerBusy` if the part is requeued. */
  readonly signal: AbortSignal;
  /** Bytes that were sent in this try. 0 means that the try starts again. */
  onBytes(bytesSoFar: number): void;
  leave(): void;
}

interface DrainParts {
  readonly clock: Clock;
  readonly graceMs: number;
}

/** Share of the grace period that parts may use. The rest is for storage's answer and errors of the forecast. */
const USABLE = 0.8;
/** Short, because another worker should take the part now. */
const NEXT_TRY_MS = 100;

interface Sending extends DrainPart {
  readonly giveUp: AbortController;
  bytesSoFar: number;
  /** When its first byte was sent, epoch ms. */
  since: number | undefined;
}

export function createDrain({ clock, graceMs }: DrainParts): Drain {
  const sending = new Set<Sending>();
  let draining = false;

  function rateOf({ bytesSoFar, since }: Sending): number | undefined {
    const ms = since === undefined ? 0 : clock.now() - since;
    return bytesSoFar > 0 && ms > 0 ? (bytesSoFar / ms) * 1000 : undefined;
  }
  function requeueIfTooLong(part: Sending): void {
    const rate = rateOf(part);
    const neededMs = rate === undefined ? undefined : ((part.bytes - part.bytesSoFar) / rate) * 1000;
    if (neededMs !== undefined && neededMs <= graceMs * USABLE) return;
    part.giveUp.abort(requeued(part, neededMs));
  }

  return {
    hasBegun: () => draining,
    enter({ partNumber, bytes }) {
      const giveUp = new AbortController();
      const part: Sending = { partNumber, bytes, giveUp, bytesSoFar: 0, since: undefined };
      sending.add(part);
      // The part was about to begin when the drain began.
      if (draining) requeueIfTooLong(part);
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
      for (const part of sending) requeueIfTooLong(part);
    },
  };
}

function requeued({ partNumber, bytesSoFar }: Sending, neededMs: number | undefined): MediaServiceError {
  const need =
    neededMs === undefined
      ? 'the time that it still needs is unknown'
      : `it would take another ${String(Math.ceil(neededMs / 1000))} s`;
  return new MediaServiceError(
    'WorkerBusy',
    `part ${String(partNumber)}: requeued, because this worker stops and ${need}`,
    {
      operation: `part ${String(partNumber)}`,
      outcome: bytesSoFar === 0 ? 'unsent' : 'ambiguous',
      retryAfterMs: NEXT_TRY_MS,
      details: { partNumber },
      hint: 'Another worker sends it; a longer grace period lets slower parts end.',
    },
  );
}
