import { formatBytes, formatCount, formatSpan, plainLine } from '../output/plain-text';
import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import type { WaitReason } from '../../temporal/client/wait-reason';
import type { BatchCounts, BatchProgress } from '../../temporal/batch/types';

/** After this time, an old rate would promise an end that is not coming closer. */
const STILL_AFTER_MS = 30_000;

export function rowsText(rows: number): string {
  return `${formatCount(rows)} row${rows === 1 ? '' : 's'}`;
}

/** Returns what a batch is doing in a word, and why it paused by itself or waits. */
export function batchPhaseText({
  phase,
  pausedBecause,
  waitReason,
}: Pick<LiveBatch, 'phase' | 'pausedBecause' | 'waitReason'>): string {
  const word = phase === 'closing' ? 'writing the results' : phase;
  return withReasonsText(word, { pausedBecause: phase === 'paused' ? pausedBecause : undefined, waitReason });
}

/** `uploading (waiting: No worker serves the task queue …)`. */
export function withReasonsText(
  word: string,
  {
    pausedBecause,
    waitReason,
  }: { readonly pausedBecause?: string | undefined; readonly waitReason?: WaitReason | undefined },
): string {
  const reasons = [
    ...(pausedBecause === undefined ? [] : [pausedBecause]),
    ...(waitReason === undefined
      ? []
      : [`${waitReason.code === 'NoWorker' ? 'waiting' : 'retrying'}: ${waitReason.message}`]),
  ].map((reason) => plainLine(reason).replace(/\.$/, ''));
  return reasons.length === 0 ? word : `${word} (${reasons.join('; ')})`;
}

/** `35.2 rows/s, 94.4 MB/s, 5 min 37 s left`, or `no row ended for 1 min 10 s`; empty if nothing is known. */
export function batchRateText({ phase }: Pick<BatchProgress, 'phase'>, meter: BatchMeter): string {
  if (phase !== 'uploading') return '';
  const stillMs = meter.stillMs();
  if (stillMs >= STILL_AFTER_MS) return `no row ended for ${formatSpan(stillMs)}`;
  const [rows, bytes, leftMs] = [meter.rowsPerSecond() ?? 0, meter.bytesPerSecond() ?? 0, meter.leftMs()];
  if (rows <= 0) return '';
  const facts = [
    `${rows >= 10 ? formatCount(Math.round(rows)) : rows.toFixed(1)} rows/s`,
    bytes > 0 ? `${formatBytes(Math.round(bytes))}/s` : '',
    leftMs === undefined || leftMs <= 0 ? '' : `${formatSpan(leftMs)} left`,
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

/** `8,123 completed (20 earlier), 12 failed, 64 running, 3,801 waiting`. Zeros are left out, except for completed. */
export function countsText({ completed, earlier, failed, cancelled, running, waiting }: BatchCounts): string {
  const facts: [number, string][] = [
    [failed, 'failed'],
    [cancelled, 'cancelled'],
    [running, 'running'],
    [waiting, 'waiting'],
  ];
  const first = `${formatCount(completed)} completed${earlier === 0 ? '' : ` (${formatCount(earlier)} earlier)`}`;
  return [
    first,
    ...facts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`),
  ].join(', ');
}

/**
 * One line with everything: `harbour: uploading, 41% of 20,000 rows, 8,123 completed, 12 failed, 64 running, …, 1.2 GB,
 * 35.2 rows/s, 5 min 37 s left`.
 */
export function batchProgressText(batch: string, progress: LiveBatch, meter: BatchMeter): string {
  const { counts } = progress;
  const facts = [
    batchPhaseText(progress),
    counts.rows === 0 ? '' : `${percentText(counts)} of ${rowsText(counts.rows)}`,
    counts.rows === 0 ? '' : countsText(counts),
    counts.bytes === 0 ? '' : formatBytes(counts.bytes),
    batchRateText(progress, meter),
  ];
  return `${plainLine(batch)}: ${facts.filter((fact) => fact !== '').join(', ')}`;
}

/** `41%` of the rows have ended; `100%` only if none is left. */
export function percentText(counts: BatchCounts): string {
  return `${counts.rows === 0 ? 0 : Math.floor((100 * rowsOver(counts)) / counts.rows)}%`;
}

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
