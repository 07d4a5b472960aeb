const WINDOW_MS = 15_000;

export interface RateMeter {
  /** Adds a reading: bytes done at a moment (epoch ms). */
  add(at: number, bytes: number): void;
  /** Bytes per second over the last 15 s; undefined while there is nothing to tell from. */
  rate(): number | undefined;
}

/** Rate of a transfer from readings of how far it is. Bytes that a failed try takes back count as none, not as negative speed. */
export function createRateMeter(): RateMeter {
  let readings: { readonly at: number; readonly bytes: number }[] = [];
  return {
    add(at, bytes) {
      if ((readings.at(-1)?.bytes ?? 0) > bytes) readings = [];
      readings = [...readings.filter((reading) => at - reading.at <= WINDOW_MS), { at, bytes }];
    },
    rate() {
      const first = readings.at(0);
      const last = readings.at(-1);
      if (first === undefined || last === undefined || last.at <= first.at) return undefined;
      return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
    },
  };
}
