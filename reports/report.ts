import type { Interval } from './period/intervals';
import type { Period } from './period/period';

/** How the figures of a status were counted: by queries for each interval, or from the records themselves. */
export type CountedBy = 'countQueries' | 'records';

/** One media or sub-account with failed deliveries. */
export interface GroupRow {
  /** Null: deliveries without an id. */
  readonly id: string | null;
  readonly failed: number;
  /** Null: the service does not return it. */
  readonly success: number | null;
  readonly failureRate: number | null;
}

export interface Breakdown {
  /** The rows with the most failures, at most `top`. */
  readonly rows: readonly GroupRow[];
  /** All deliveries that are not in a row. Rows and others add up to the totals. */
  readonly others: Omit<GroupRow, 'id'>;
  /** How many media or sub-accounts have failures, as far as records were read. */
  readonly withFailures: number;
}

/** A summary of the webhook deliveries of a period. Plain data that can be stored as JSON. */
export interface DeliveryReport {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly zone: string;
  readonly scope: { readonly mediaId: string | null; readonly subAccountId: string | null };
  readonly totals: Counts;
  /** Null if it was not requested or could not be counted. */
  readonly before: (Period & Counts) | null;
  /** The difference to the period before. That of the rates is -1 to 1 (0.01 is one percentage point). */
  readonly change: Counts | null;
  readonly interval: Interval;
  readonly intervals: readonly (Period & Counts)[];
  readonly media: Breakdown | null;
  readonly subAccounts: Breakdown | null;
  readonly recordsRead: number;
  /** False: the limit ended the read. `notices` say what is missing. */
  readonly complete: boolean;
  readonly countedBy: { readonly failed: CountedBy; readonly success: CountedBy };
  /** Full sentences for readers of the report. */
  readonly notices: readonly string[];
  /** Only in scheduled reports: the schedule and account that sent it. */
  readonly sender?: { readonly schedule: string; readonly accountId: string };
}

/** Deliveries by status. An unknown value is null, never a guess. */
export interface Counts {
  readonly total: number;
  readonly failed: number;
  readonly success: number;
  /** `failed / total`, 0 to 1. Null if there was no delivery, or if not all were read. */
  readonly failureRate: number | null;
}

export function countsOf(failed: number, success: number): Counts {
  const total = failed + success;
  return { total, failed, success, failureRate: total === 0 ? null : failed / total };
}

/** The counts now minus the counts before. The difference of the rates is null if one of them is null. */
export function changeBetween(before: Counts, now: Counts): Counts {
  return {
    total: now.total - before.total,
    failed: now.failed - before.failed,
    success: now.success - before.success,
    failureRate:
      now.failureRate === null || before.failureRate === null ? null : now.failureRate - before.failureRate,
  };
}

/** Failed or successful deliveries by id. Null: deliveries without an id. */
export type GroupCounts = ReadonlyMap<string | null, number>;

/** Sorted by most failures, then by id, so that the same figures give the same report. */
export function largestFirst(counts: GroupCounts): [string | null, number][] {
  return [...counts].sort(([a, x], [b, y]) => y - x || ((a ?? '') < (b ?? '') ? -1 : 1));
}
