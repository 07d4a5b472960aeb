/** Failed or successful deliveries by id. Null: deliveries without an id. */
export type GroupCounts = ReadonlyMap<string | null, number>;

/** Sorted by most failures, then by id, so that the same figures give the same report. */
export function largestFirst(counts: GroupCounts): [string | null, number][] {
  return [...counts].sort(([a, x], [b, y]) => y - x || ((a ?? '') < (b ?? '') ? -1 : 1));
}
