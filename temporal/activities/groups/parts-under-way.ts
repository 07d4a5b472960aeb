import type { Transfer } from './group-step';

/** One part that is being sent. */
export interface PartUnderWay {
  readonly onBytes: (bytesSoFar: number) => void;
  /** Bytes are held back on purpose: that is no stall. */
  readonly onPacing: (waiting: boolean) => void;
  /** It has ended; `sent`: storage has it. */
  end(sent: boolean): void;
}

/** The parts of a group on their way, for its heartbeats. */
export interface PartsUnderWay extends Transfer {
  begin(totalBytes: number): PartUnderWay;
}

interface Sending {
  readonly total: number;
  bytes: number;
  /** When it was looked at last. */
  seen: number;
  pacing: boolean;
}

/**
 * A group moves if bytes of one of its parts went out since the last look, or if none are due: while a part waits for bandwidth, for a URL, a permit or
 * storage's answer (one that failed counts from 0 again), or while all parts wait to begin. Parts that stall move nothing.
 */
export function createPartsUnderWay(): PartsUnderWay {
  const sending = new Set<Sending>();
  let sent = 0;
  const moves = (part: Sending): boolean => {
    const { total, bytes, seen, pacing } = part;
    part.seen = bytes;
    return pacing || bytes !== seen || bytes === 0 || bytes >= total;
  };
  return {
    begin(total) {
      const part: Sending = { total, bytes: 0, seen: 0, pacing: false };
      sending.add(part);
      return {
        onBytes: (bytesSoFar) => {
          part.bytes = bytesSoFar;
        },
        onPacing: (waiting) => {
          part.pacing = waiting;
        },
        end(wasSent) {
          sending.delete(part);
          if (wasSent) sent += total;
        },
      };
    },
    bytes: () => [...sending].reduce((sum, { bytes }) => sum + bytes, sent),
    moved: () => sending.size === 0 || [...sending].filter(moves).length > 0,
  };
}
