import type { SeenRecords } from '../../reports/late/seen-records';

/** How far a target received reports, and of which failed records. */
export interface ReportCursor {
  /** Start of the first period, ISO 8601. */
  readonly since: string;
  /** End of the last period that arrived, ISO 8601. `since` if none has arrived. */
  readonly deliveredTo: string;
  readonly seen: SeenRecords;
}

/** Targets at the same point, which get the same report. Without a cursor they are new. */
export interface TargetGroup {
  /** Keys of targets. */
  readonly targets: readonly string[];
  readonly cursor?: ReportCursor;
}

/**
 * What a run hands on to the schedule's next run: as part of its result, or in the details of its failure. Temporal
 * keeps the end of the last run for the next one.
 */
export interface HandedOn {
  readonly served: readonly TargetGroup[];
}

export type Cursors = Map<string, ReportCursor>;

/** The cursors of the targets by the first of these ends of runs, results or failures, that hands any on. */
export function cursorsOf(ends: readonly unknown[]): Cursors {
  const served = ends.flatMap(valuesOf).find(isHandedOn)?.served ?? [];
  return new Map(
    served.flatMap(({ targets, cursor }) =>
      cursor === undefined ? [] : targets.map((target) => [target, cursor] as const),
    ),
  );
}

/** The result itself, or all details of a failure and its causes. */
function valuesOf(end: unknown): unknown[] {
  if (!(end instanceof Error)) return [end];
  const details: readonly unknown[] = 'details' in end && Array.isArray(end.details) ? end.details : [];
  return [...details, ...valuesOf(end.cause)];
}

/** Only our own workflow writes it. */
function isHandedOn(value: unknown): value is HandedOn {
  return typeof value === 'object' && value !== null && 'served' in value && Array.isArray(value.served);
}

/** Targets that are no longer among the keys are left out: if they are added again, they are new. */
export function groupTargets(
  keys: readonly string[],
  cursors: ReadonlyMap<string, ReportCursor>,
): TargetGroup[] {
  const groups: { targets: string[]; cursor?: ReportCursor }[] = [];
  for (const key of keys) {
    const cursor = cursors.get(key);
    const group = groups.find((each) => isSame(each.cursor, cursor));
    if (group === undefined) groups.push({ targets: [key], ...(cursor === undefined ? {} : { cursor }) });
    else group.targets.push(key);
  }
  return groups;
}

function isSame(one: ReportCursor | undefined, other: ReportCursor | undefined): boolean {
  if (one === other) return true;
  return (
    one?.since === other?.since &&
    one?.deliveredTo === other?.deliveredTo &&
    JSON.stringify(one?.seen) === JSON.stringify(other?.seen)
  );
}

/** Above this number seen records are forgotten: Temporal warns of payloads above 512 KiB, and an id takes 14 bytes. */
export const MAX_SEEN = 30_000;

/** The cursor without its seen records if there are too many, in it or in all cursors together. */
export function withinLimit(cursor: ReportCursor, count = countSeen(cursor)): ReportCursor {
  return count <= MAX_SEEN ? cursor : { ...cursor, seen: [{ until: cursor.deliveredTo, ids: null }] };
}

function countSeen({ seen }: ReportCursor): number {
  return seen.reduce((count, { ids }) => count + (ids?.length ?? 0), 0);
}

export function handedOn(keys: readonly string[], cursors: ReadonlyMap<string, ReportCursor>): HandedOn {
  const served = groupTargets(keys, cursors);
  const total = served.reduce((sum, { cursor }) => sum + (cursor === undefined ? 0 : countSeen(cursor)), 0);
  return {
    served: served.map(({ targets, cursor }) =>
      cursor === undefined ? { targets } : { targets, cursor: withinLimit(cursor, total) },
    ),
  };
}
