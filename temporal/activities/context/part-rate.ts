/** Weight of the newest part; the rest is what was seen before. */
const NEWEST = 0.3;

/** How fast parts of this process have been going, so that none begins whose URL would end before it. */
export interface PartRate {
  note(part: { readonly bytes: number; readonly ms: number }): void;
  /** Undefined before the first part. */
  bytesPerSecond(): number | undefined;
}

export function createPartRate(): PartRate {
  let rate: number | undefined;
  return {
    note({ bytes, ms }) {
      const now = bytes / (Math.max(1, ms) / 1000);
      rate = rate === undefined ? now : NEWEST * now + (1 - NEWEST) * rate;
    },
    bytesPerSecond: () => rate,
  };
}
