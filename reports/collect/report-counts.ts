import type { JsonObject } from '../../api/json';
import { createDeliveryReader } from '../../api/webhooks/delivery-fields';
import type { GroupCounts } from '../counts/counts';
import type { Group, ReportPlan } from '../report-request';

/** Counts of records. Keeps only one record, as a sample for errors. */
export interface ReportCounts {
  readonly records: number;
  /** By the intervals of the plan. Undefined if a record's time can't be read or is outside the period. */
  readonly perInterval: readonly number[] | undefined;
  readonly groups: ReadonlyMap<Group, GroupCounts>;
  /** Groups whose field appears in at least one record, even if it is empty. */
  readonly shown: ReadonlySet<Group>;
  readonly sample: JsonObject | undefined;
}

/** Counts records of one status into the plan's intervals and groups. */
export function createReportCounts(plan: ReportPlan): {
  add(record: JsonObject): void;
  result(): ReportCounts;
} {
  const reader = createDeliveryReader(plan.fields);
  const ends = plan.intervals.map(({ to }) => Date.parse(to));
  const begin = Date.parse(plan.period.from);
  const perInterval = ends.map(() => 0);
  const groups = new Map(plan.groups.map((group) => [group, new Map<string | null, number>()]));
  const shown = new Set<Group>();
  let records = 0;
  let timesAreKnown = true;
  let sample: JsonObject | undefined;
  const countTime = (record: JsonObject): void => {
    const sentAt = reader.sentAt(record);
    const index = sentAt === undefined || sentAt < begin ? -1 : ends.findIndex((end) => end > sentAt);
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
