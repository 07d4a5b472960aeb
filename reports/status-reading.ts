import { MediaServiceError } from '../api/errors';
import type { ErrorFacts } from '../api/errors';
import { outlineOf } from '../api/answers/read-answer';
import { readAgainIfFewer } from '../api/pages/each-page';
import type { Service } from '../api/service/service';
import { createDeliveryReader, DELIVERY_FIELD_CANDIDATES } from '../api/webhooks/delivery-fields';
import type { DeliveryRole } from '../api/webhooks/delivery-fields';
import type { DeliveryQuery, DeliveryStatus } from '../api/webhooks/delivery-query';
import { DELIVERY_OPERATION, eachDelivery, searchDeliveries } from '../api/webhooks/delivery-search';
import type { Period } from './period/period';
import type { CountedBy, GroupCounts } from './report';
import type { Group, ReportPlan } from './report-request';
import type { JsonObject } from '../api/json';
import { mapAll } from '../api/map-in-order';

/** The maximum number of records per page (api.md, Limits). */
const RECORDS_PER_PAGE = 1000;

/** What is known about one status of the period. */
export interface StatusReading {
  readonly countedBy: CountedBy;
  /** In the order of the plan's intervals. */
  readonly perInterval: readonly number[];
  /** The service's total before anything was counted. */
  readonly announced: number | undefined;
  readonly recordsRead: number;
  /** The limit of records ended the read. Groups, and counts by records, contain only what was read. */
  readonly capped: boolean;
  /** Unset: no record was read. */
  readonly counted: ReportCounts | undefined;
}

export interface Reading {
  readonly service: Service;
  readonly plan: ReportPlan;
  readonly signal: AbortSignal | undefined;
}

export const COUNTS_AT_ONCE = 4;

/**
 * How many deliveries match the query, from one request of one record. Undefined if the service does not return it.
 */
export async function countDeliveries(
  service: Service,
  query: DeliveryQuery,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  return (await searchDeliveries(service, query, { size: 1, signal })).totalElements;
}

/** Reads or counts the deliveries of a status, whichever needs fewer requests. Reads at most `budget` records. */
export async function readStatus(
  reading: Reading,
  status: DeliveryStatus,
  budget: number,
): Promise<StatusReading> {
  const { service, plan, signal } = reading;
  const announced = await countDeliveries(service, { ...plan.query, status: [status] }, signal);
  const grouped = status === 'FAILED' && plan.groups.length > 0;
  const intervals = plan.intervals.length;
  const isNeeded = announced === undefined || (grouped && announced > 0);
  const read =
    isNeeded || isCheaper(announced, intervals, budget)
      ? await readAgainIfFewer(() => readRecords(reading, status, budget))
      : undefined;
  const facts = {
    announced,
    recordsRead: read?.counted.records ?? 0,
    capped: read?.capped ?? false,
    counted: read?.counted,
  };
  // With a single interval, every record is in it.
  const fromRecords = intervals === 1 && read ? [read.counted.records] : read?.counted.perInterval;
  if (fromRecords !== undefined && (read?.capped === false || announced === undefined)) {
    return { ...facts, countedBy: 'records', perInterval: fromRecords };
  }
  if (announced === undefined) throw unreadableField(plan, 'time', read?.counted);
  const perInterval = await countIntervals(reading, status, announced);
  return { ...facts, countedBy: 'countQueries', perInterval };
}

async function readRecords(
  { service, plan, signal }: Reading,
  status: DeliveryStatus,
  budget: number,
): Promise<{ counted: ReportCounts; capped: boolean }> {
  const counted = createReportCounts(plan);
  let left = budget;
  const records = eachDelivery(
    service,
    { ...plan.query, status: [status] },
    { size: RECORDS_PER_PAGE, signal },
  );
  for await (const record of records) {
    if (left === 0) return { counted: counted.result(), capped: true };
    left -= 1;
    counted.add(record);
  }
  return { counted: counted.result(), capped: false };
}

async function countIntervals(
  { service, plan, signal }: Reading,
  status: DeliveryStatus,
  announced: number,
): Promise<number[]> {
  if (plan.intervals.length === 1) return [announced];
  if (announced === 0) return plan.intervals.map(() => 0);
  return mapAll(plan.intervals, COUNTS_AT_ONCE, async (interval: Period) => {
    const count = await countDeliveries(service, { ...plan.query, ...interval, status: [status] }, signal);
    if (count === undefined)
      throw unreadable('the service gives the total of some ranges and not of others', {
        hint: 'Run the report again.',
      });
    return count;
  });
}

/** Grouping by a missing field would give an empty table. The error names the expected fields and what to do. */
export function unreadableField(
  plan: ReportPlan,
  role: DeliveryRole,
  counted: ReportCounts | undefined,
): MediaServiceError {
  const named = plan.fields[role];
  const sought = named === undefined ? DELIVERY_FIELD_CANDIDATES[role].join(', ') : `"${named}"`;
  return unreadable(
    `the field "${role}" of deliveries can't be read; looked for ${sought} in ${outlineOf(counted?.sample ?? {})}`,
    {
      field: `fields.${role}`,
      hint: `Ask the operator of the service for the field that holds this (${role}). {deliveryFields}`,
    },
  );
}

function unreadable(what: string, facts: ErrorFacts): MediaServiceError {
  const own = { operation: DELIVERY_OPERATION, outcome: 'refused', ...facts } as const;
  return new MediaServiceError('UnreadableAnswer', `${DELIVERY_OPERATION}: ${what}`, own);
}

/** Whether pages of records need fewer requests than one count query per interval. A single one is counted already. */
function isCheaper(announced: number, intervals: number, budget: number): boolean {
  const pages = Math.ceil(announced / RECORDS_PER_PAGE);
  return announced > 0 && announced <= budget && intervals > 1 && pages < intervals;
}

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
  const begin = Date.parse(plan.query.from);
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
