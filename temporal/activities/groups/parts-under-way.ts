import type { Transfer } from './group-step';

/** One part that is being sent. */
interface PartUnderWay {
  readonly onBytes: (bytesSoFar: number) => void;
  /** Bytes are delayed on purpose, which is not a stall. */
  readonly onRate: (waiting: boolean) => void;
  /** The part has ended. `sent`: storage has it. */
  end(sent: boolean): void;
}

/** The parts that a group sends now, for its heartbeats. */
export interface PartsUnderWay extends Transfer {
  begin(totalBytes: number): PartUnderWay;
}

interface Sending {
  readonly total: number;
  bytes: number;
  /** The bytes at the last check. */
  seen: number;
  waiting: boolean;
}

/**
 * A group moves if one of its parts sent bytes since the last check, or if no bytes are due. No bytes are due while a
 * part waits for bandwidth, a URL, a permit or storage's answer, or while all parts wait to begin. A part that failed
 * counts from 0 again. A stalled part does not count as movement.
 */
export function createPartsUnderWay(): PartsUnderWay {
  const sending = new Set<Sending>();
  let sent = 0;
  const moves = (part: Sending): boolean => {
    const { total, bytes, seen, waiting } = part;
    part.seen = bytes;
    return waiting || bytes !== seen || bytes === 0 || bytes >= total;
  };
  return {
    begin(total) {
      const part: Sending = { total, bytes: 0, seen: 0, waiting: false };
      sending.add(part);
      return {
        onBytes: (bytesSoFar) => {
          part.bytes = bytesSoFar;
        },
        onRate: (waiting) => {
          part.waiting = waiting;
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
