/** The rate at which one part travels, measured from successful parts. */
export interface PartRate {
  note(sent: { readonly bytes: number; readonly ms: number }): void;
  /** Undefined until a part was large enough to measure. */
  bytesPerSecond(): number | undefined;
}

/** A smaller part shows how long storage takes to answer, not how fast bytes travel. */
const MIN_MEASURED_BYTES = 5_000_000;
/** Weight of the newest part; earlier parts have the rest. */
const NEWEST = 0.3;

export function createPartRate(): PartRate {
  let rate: number | undefined;
  return {
    note({ bytes, ms }) {
      if (bytes < MIN_MEASURED_BYTES) return;
      const newest = (bytes / Math.max(1, ms)) * 1000;
      rate = rate === undefined ? newest : rate + NEWEST * (newest - rate);
    },
    bytesPerSecond: () => rate,
  };
}
