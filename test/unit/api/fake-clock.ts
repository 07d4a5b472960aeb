import type { Clock } from '../../../api/clock';

export interface FakeClock extends Clock {
  /** The sleeps so far, in ms. */
  readonly slept: number[];
  advance(ms: number): void;
}

/** A clock that only `advance` moves. Every sleep ends at once. */
export function fakeClock(start = Date.parse('2026-11-01T12:00:00Z')): FakeClock {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    advance: (ms) => void (now += ms),
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.reject(signal.reason);
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}
