import type { Period } from '../period/period';
import { overlapBefore, seenAfter, unseen } from './seen-records';
import type { SeenRecords } from './seen-records';

/** What a reader has received before the period. */
export interface Received {
  /** Start of its first period, ISO 8601. */
  readonly since: string;
  readonly seen: SeenRecords;
}

/** One report's part in finding late records: what to look for, what to keep, and what is known after it. */
export interface LateStep {
  /** Where late records may be. Undefined: nowhere. Null: they can't be distinguished from reported ones. */
  readonly range: Period | null | undefined;
  /** The records of `range` that no report has had yet, each once. */
  lateOf(ids: readonly string[]): string[];
  /** Returns whether the next report must know a failed record of the period. Unknown time: undefined. */
  keeps(sentAt: number | undefined): boolean;
  /** What the reader has seen once it has the report. */
  seenAfter(found: {
    /** The kept records of the period. */
    readonly ids: readonly string[];
    readonly late: readonly string[];
    /** Whether `ids` are complete. */
    readonly complete: boolean;
  }): SeenRecords;
}

/** `received` is undefined before the first report. Pure. */
export function lateStep(period: Period, overlapMs: number, received: Received | undefined): LateStep {
  const range = received === undefined ? undefined : overlapBefore(period.from, overlapMs, received.since);
  const seen = received?.seen ?? [];
  const isRecognisable = range === undefined || seen.every(({ ids }) => ids !== null);
  const reach = Date.parse(period.to) - overlapMs;
  return {
    range: isRecognisable ? range : null,
    lateOf: (ids) => unseen(ids, seen),
    keeps: (sentAt) => overlapMs > 0 && (sentAt === undefined || sentAt >= reach),
    seenAfter: (found) => seenAfter(seen, { period, overlapMs, ...found }),
  };
}
