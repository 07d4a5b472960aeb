/** Deliveries by status. What is not known is null: nothing is ever guessed. */
export interface Counts {
  readonly total: number;
  readonly failed: number;
  readonly success: number;
  /** `failed / total`, 0 to 1; null where there was no delivery, or where not all were read. */
  readonly failureRate: number | null;
}

export function countsOf(failed: number, success: number): Counts {
  const total = failed + success;
  return { total, failed, success, failureRate: total === 0 ? null : failed / total };
}

/** Counts that are the least there was: they tell no rate. */
export function atLeast(counts: Counts): Counts {
  return { ...counts, failureRate: null };
}

/** Now minus before. */
export interface Change {
  readonly total: number;
  readonly failed: number;
  readonly success: number;
  /** Difference of the rates, -1 to 1 (0.01 is one percentage point); null where one of them is. */
  readonly failureRate: number | null;
}

export function changeBetween(before: Counts, now: Counts): Change {
  return {
    total: now.total - before.total,
    failed: now.failed - before.failed,
    success: now.success - before.success,
    failureRate:
      now.failureRate === null || before.failureRate === null ? null : now.failureRate - before.failureRate,
  };
}
