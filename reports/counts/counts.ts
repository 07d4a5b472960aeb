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

/** Counts that are only a minimum, so they have no rate. */
export function atLeast(counts: Counts): Counts {
  return { ...counts, failureRate: null };
}

/** The value now minus the value before. */
export interface Change {
  readonly total: number;
  readonly failed: number;
  readonly success: number;
  /** Difference of the rates, -1 to 1 (0.01 is one percentage point). Null if one of them is null. */
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
