/** Failed or successful deliveries by id; null: those that name none. */
export type GroupCounts = ReadonlyMap<string | null, number>;

/** Most failures first; equal ones by id, so that the same figures give the same report. */
export function mostFirst(counts: GroupCounts): [string | null, number][] {
  return [...counts].sort(([a, x], [b, y]) => y - x || ((a ?? '') < (b ?? '') ? -1 : 1));
}
