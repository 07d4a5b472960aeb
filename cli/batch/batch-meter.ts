import type { BatchCounts } from '../../temporal/contract/batch';

/** Small files end in bursts: a longer look back than at the bytes of one file. */
const WINDOW_MS = 60_000;

export interface BatchReading {
  /** Epoch ms. */
  readonly at: number;
  readonly counts: BatchCounts;
}

/** How fast a batch goes on, from readings of its counts. */
export interface BatchMeter {
  add(reading: BatchReading): void;
  /** Rows that ended, well or badly, per second over the last minute; undefined while there is nothing to tell from. */
  rowsPerSecond(): number | undefined;
  /** Bytes of rows that completed, as above. */
  bytesPerSecond(): number | undefined;
  /** Until the last row ends at this rate, ms; undefined where that cannot be told. */
  leftMs(): number | undefined;
  /** How long no row has ended, ms. */
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
      readings = [...kept.filter(({ at }) => reading.at - at <= WINDOW_MS), reading];
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

/** Rows that this run of the batch has ended. */
export function endedRows({ completed, earlier, failed, cancelled }: BatchCounts): number {
  return completed - earlier + failed + cancelled;
}

/** Whether nothing but uploads moved the counts: neither rows of earlier runs that were found, nor a new plan, nor a new start. */
function isOneRun(before: BatchCounts, now: BatchCounts): boolean {
  return (
    before.earlier === now.earlier &&
    before.rows === now.rows &&
    endedRows(now) >= endedRows(before) &&
    now.bytes >= before.bytes
  );
}
