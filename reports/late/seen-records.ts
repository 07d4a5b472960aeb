import type { Period } from '../period/period';

/**
 * Failed records that a reader has received, as short ids. They are not reported again if they are found before the
 * next period.
 */
export interface SeenRecords {
  readonly groups: readonly SeenGroup[];
  /** False if not all of them have an id. Then late records can't be distinguished from reported ones. */
  readonly complete: boolean;
}

/** Records that were sent before `until`, ISO 8601. */
export interface SeenGroup {
  readonly until: string;
  readonly ids: readonly string[];
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
export function unseen(ids: readonly string[], { groups }: SeenRecords): string[] {
  const known = new Set(groups.flatMap((group) => group.ids));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

interface ReadPeriod {
  readonly period: Period;
  /** Ids of its failed records, at least those of its last `overlapMs`. */
  readonly ids: readonly string[];
  /** Ids of the late records in the same report. */
  readonly late: readonly string[];
  readonly overlapMs: number;
  /** Whether both lists are complete. */
  readonly complete: boolean;
}

/** The seen records after the period was delivered. Keeps only those within the overlap before the next period. */
export function seenAfter(before: SeenRecords | undefined, read: ReadPeriod): SeenRecords {
  const { period, overlapMs } = read;
  const reach = Date.parse(period.to) - overlapMs;
  const groups = [
    ...(before?.groups ?? []),
    { until: period.from, ids: read.late },
    { until: period.to, ids: [...new Set(read.ids)] },
  ];
  const reachesBack = Date.parse(period.from) > reach;
  return {
    groups: groups.filter(({ until, ids }) => Date.parse(until) > reach && ids.length > 0),
    complete: read.complete && (!reachesBack || before?.complete !== false),
  };
}
