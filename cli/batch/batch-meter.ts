import type { BatchCounts } from '../../temporal/batch/types';

/** Small files end in bursts, so this period is longer than that for the bytes of one file. */
const PERIOD_MS = 60_000;

interface BatchReading {
  /** Epoch ms. */
  readonly at: number;
  readonly counts: BatchCounts;
}

/** Measures the speed of a batch from readings of its counts. */
export interface BatchMeter {
  add(reading: BatchReading): void;
  /** Rows that ended, well or badly, per second over the last minute. Undefined without enough readings. */
  rowsPerSecond(): number | undefined;
  /** Bytes of completed rows per second, over the same period. */
  bytesPerSecond(): number | undefined;
  /** Time until the last row ends at this rate, ms. Undefined if unknown. */
  leftMs(): number | undefined;
  /** Time since a row last ended, ms. */
  stillMs(): number;
}

export function createBatchMeter(): BatchMeter {
  let readings: BatchReading[] = [];
  let movedAt: number | undefined;
  const perSecond = (of: (counts: BatchCounts) => number): number | undefined => {
    const [first, last] = [readings.at(0), readings.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return undefined;
    return ((of(last.counts) - of(first.counts)) * 1000) / (last.at - first.at);
  };
  const rowsPerSecond = (): number | undefined => perSecond(endedRows);
  return {
    add(reading) {
      const before = readings.at(-1);
      if (before === undefined || endedRows(reading.counts) !== endedRows(before.counts))
        movedAt = reading.at;
      const kept = before !== undefined && isOneRun(before.counts, reading.counts) ? readings : [];
      readings = [...kept.filter(({ at }) => reading.at - at <= PERIOD_MS), reading];
    },
    rowsPerSecond,
    bytesPerSecond: () => perSecond(({ bytes }) => bytes),
    leftMs() {
      const rate = rowsPerSecond();
      const counts = readings.at(-1)?.counts;
      if (rate === undefined || rate <= 0 || counts === undefined) return undefined;
      return ((counts.running + counts.waiting) * 1000) / rate;
    },
    stillMs: () => (readings.at(-1)?.at ?? 0) - (movedAt ?? readings.at(-1)?.at ?? 0),
  };
}

/** Returns how many rows this run of the batch has ended. */
export function endedRows({ completed, earlier, failed, cancelled }: BatchCounts): number {
  return completed - earlier + failed + cancelled;
}

/** Returns whether only uploads changed the counts: no found rows of earlier runs, no new plan, no new start. */
function isOneRun(before: BatchCounts, now: BatchCounts): boolean {
  return (
    before.earlier === now.earlier &&
    before.rows === now.rows &&
    endedRows(now) >= endedRows(before) &&
    now.bytes >= before.bytes
  );
}

/** Rows that have ended, in this run or earlier ones. */
export function rowsOver({ completed, failed, cancelled }: BatchCounts): number {
  return completed + failed + cancelled;
}
