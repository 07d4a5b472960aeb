import type { Period } from '../period/period';

/**
 * Failed records that a reader has received, as short ids. They are not reported again if they are found before the
 * next period.
 */
export type SeenRecords = readonly SeenGroup[];

/** Records that were sent before `until`, ISO 8601. */
interface SeenGroup {
  readonly until: string;
  /** Null: not all of them are known. Then late records can't be distinguished from reported ones. */
  readonly ids: readonly string[] | null;
}

/**
 * The range before a period in which to look for late records, not before `since`, where the first report began.
 * Undefined: it is empty.
 */
export function overlapBefore(from: string, overlapMs: number, since: string): Period | undefined {
  const begin = Math.max(Date.parse(from) - overlapMs, Date.parse(since));
  return begin < Date.parse(from) ? { from: new Date(begin).toISOString(), to: from } : undefined;
}

/** The ids that were not reported yet, each once. */
export function unseen(ids: readonly string[], seen: SeenRecords): string[] {
  const known = new Set(seen.flatMap((group) => group.ids ?? []));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

interface ReadPeriod {
  readonly period: Period;
  /** Ids of its failed records, at least those of its last `overlapMs`. */
  readonly ids: readonly string[];
  /** Ids of the late records in the same report. */
  readonly late: readonly string[];
  readonly overlapMs: number;
  /** Whether `ids` are complete. */
  readonly complete: boolean;
}

/** The seen records after the period was delivered. Keeps only those within the overlap before the next period. */
export function seenAfter(before: SeenRecords, read: ReadPeriod): SeenRecords {
  const { period, overlapMs } = read;
  const reach = Date.parse(period.to) - overlapMs;
  const groups = [
    ...before,
    { until: period.from, ids: read.late },
    { until: period.to, ids: read.complete ? [...new Set(read.ids)] : null },
  ];
  return groups.filter(({ until, ids }) => Date.parse(until) > reach && ids?.length !== 0);
}
