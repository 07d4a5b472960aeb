import type { JsonObject } from '../../api/json';
import { createDeliveryReader } from '../../api/webhooks/delivery-fields';
import type { GroupCounts } from '../counts/group-counts';
import type { Group, ReportPlan } from '../report-request';

/** Counts records as they pass; none of them is kept but one, for saying what they look like. */
export interface Tally {
  readonly records: number;
  /** By the intervals of the plan; undefined where a record's time cannot be read or lies outside the window. */
  readonly perInterval: readonly number[] | undefined;
  readonly groups: ReadonlyMap<Group, GroupCounts>;
  /** Those whose field some record has, be it empty. */
  readonly shown: ReadonlySet<Group>;
  readonly sample: JsonObject | undefined;
}

/** Counts records of one status into the plan's intervals and groups. */
export function createTally(plan: ReportPlan): { add(record: JsonObject): void; result(): Tally } {
  const reader = createDeliveryReader(plan.fields);
  const ends = plan.intervals.map(({ to }) => Date.parse(to));
  const begin = Date.parse(plan.window.from);
  const perInterval = ends.map(() => 0);
  const groups = new Map(plan.groups.map((group) => [group, new Map<string | null, number>()]));
  const shown = new Set<Group>();
  let records = 0;
  let timesAreKnown = true;
  let sample: JsonObject | undefined;
  const countTime = (record: JsonObject): void => {
    const sentAt = reader.sentAt(record);
    const index = sentAt === undefined || sentAt < begin ? ends.length : firstAbove(ends, sentAt);
    const before = perInterval[index];
    if (before === undefined) timesAreKnown = false;
    else perInterval[index] = before + 1;
  };
  return {
    add(record) {
      records += 1;
      sample ??= record;
      countTime(record);
      for (const [group, counts] of groups) {
        const id = reader.text(record, group) ?? null;
        if (id !== null || reader.has(record, group)) shown.add(group);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    },
    result: () => ({ records, perInterval: timesAreKnown ? perInterval : undefined, groups, shown, sample }),
  };
}

/** Index of the first of the ascending numbers that is above the value; their count where none is. */
export function firstAbove(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
