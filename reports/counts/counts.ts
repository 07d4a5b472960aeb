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

/**
 * The counts now minus the counts before. The difference of the rates is -1 to 1 (0.01 is one percentage point), and
 * null if one of them is null.
 */
export type Change = Counts;

export function changeBetween(before: Counts, now: Counts): Change {
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
