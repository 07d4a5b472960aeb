import { MediaServiceError } from '../../api/errors';
import { outlineOf } from '../../api/answers/outline';
import type { Service } from '../../api/service/service';
import { DELIVERY_FIELD_CANDIDATES } from '../../api/webhooks/delivery-fields';
import type { DeliveryRole } from '../../api/webhooks/delivery-fields';
import type { DeliveryQuery, DeliveryStatus } from '../../api/webhooks/delivery-query';
import { DELIVERY_OPERATION, eachDelivery, searchDeliveries } from '../../api/webhooks/delivery-search';
import type { Window } from '../period/window';
import type { CountedBy } from '../report';
import type { ReportPlan } from '../report-request';
import { mapConcurrently } from './map-concurrently';
import { RECORDS_PER_PAGE, readsRecords } from './reading-plan';
import { createTally } from './tally';
import type { Tally } from './tally';

/** What is known of one status of the window. */
export interface StatusReading {
  readonly countedBy: CountedBy;
  /** As the plan's intervals. */
  readonly perInterval: readonly number[];
  /** What the service said before anything was counted. */
  readonly announced: number | undefined;
  readonly recordsRead: number;
  /** The cap ended the reading: groups, and counts by records, are of what was read. */
  readonly capped: boolean;
  /** Unset where no record was read. */
  readonly tally: Tally | undefined;
}

export interface Reading {
  readonly service: Service;
  readonly plan: ReportPlan;
  readonly signal: AbortSignal | undefined;
}

const COUNTS_AT_ONCE = 4;

/** How many deliveries the query finds, from one request of one record; undefined where the service does not tell. */
export async function countDeliveries(
  service: Service,
  query: DeliveryQuery,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  return (await searchDeliveries(service, query, { size: 1, signal })).totalElements;
}

/** Reads or counts the deliveries of a status, whichever needs fewer requests; at most `budget` records. */
export async function readStatus(
  reading: Reading,
  status: DeliveryStatus,
  budget: number,
): Promise<StatusReading> {
  const { service, plan, signal } = reading;
  const announced = await countDeliveries(service, { ...plan.query, status: [status] }, signal);
  const grouped = status === 'FAILED' && plan.groups.length > 0;
  const intervals = plan.intervals.length;
  const reads = readsRecords({ announced, intervals, grouped, budget });
  const read = reads ? await readRecords(reading, status, budget) : undefined;
  const facts = {
    announced,
    recordsRead: read?.tally.records ?? 0,
    capped: read?.capped ?? false,
    tally: read?.tally,
  };
  const fromRecords = read && timesOf(read.tally, intervals);
  if (fromRecords !== undefined && (read?.capped === false || announced === undefined)) {
    return { ...facts, countedBy: 'records', perInterval: fromRecords };
  }
  if (announced === undefined) throw unreadableField(plan, 'time', read?.tally);
  const perInterval = await countIntervals(reading, status, announced);
  return { ...facts, countedBy: 'countQueries', perInterval };
}

/** Where there is one interval only, every record is in it. */
function timesOf(tally: Tally, intervals: number): readonly number[] | undefined {
  return intervals === 1 ? [tally.records] : tally.perInterval;
}

async function readRecords(
  { service, plan, signal }: Reading,
  status: DeliveryStatus,
  budget: number,
): Promise<{ tally: Tally; capped: boolean }> {
  const tally = createTally(plan);
  let left = budget;
  const records = eachDelivery(
    service,
    { ...plan.query, status: [status] },
    { size: RECORDS_PER_PAGE, signal },
  );
  for await (const record of records) {
    if (left === 0) return { tally: tally.result(), capped: true };
    left -= 1;
    tally.add(record);
    if (status === 'FAILED') plan.onFailed?.(record);
  }
  return { tally: tally.result(), capped: false };
}

async function countIntervals(
  { service, plan, signal }: Reading,
  status: DeliveryStatus,
  announced: number,
): Promise<number[]> {
  if (plan.intervals.length === 1) return [announced];
  if (announced === 0) return plan.intervals.map(() => 0);
  return mapConcurrently(plan.intervals, COUNTS_AT_ONCE, async (interval: Window) => {
    const count = await countDeliveries(service, { ...plan.query, ...interval, status: [status] }, signal);
    if (count === undefined) throw noTotals();
    return count;
  });
}

/** Grouping by a field that no record shows would be an empty table: this error names what was looked for, and the way out. */
export function unreadableField(
  plan: ReportPlan,
  role: DeliveryRole,
  tally: Tally | undefined,
): MediaServiceError {
  const named = plan.fields[role];
  const sought = named === undefined ? DELIVERY_FIELD_CANDIDATES[role].join(', ') : `"${named}"`;
  return new MediaServiceError(
    'UnreadableAnswer',
    `${DELIVERY_OPERATION}: the ${WORDS[role]} of deliveries cannot be read; looked for ${sought} in ${outlineOf(tally?.sample ?? {})}`,
    {
      operation: DELIVERY_OPERATION,
      outcome: 'refused',
      field: `fields.${role}`,
      hint: `Name the field: option "${OPTIONS[role]}" in n8n, --field ${role}=<name> on the command line, fields.${role} in code.`,
    },
  );
}

const WORDS: Readonly<Record<DeliveryRole, string>> = {
  id: 'id',
  time: 'time of sending',
  status: 'status',
  media: 'media id',
  subAccount: 'sub-account',
};

const OPTIONS: Readonly<Record<DeliveryRole, string>> = {
  id: 'ID Field',
  time: 'Time Field',
  status: 'Status Field',
  media: 'Media Field',
  subAccount: 'Sub-Account Field',
};

function noTotals(): MediaServiceError {
  return new MediaServiceError(
    'UnreadableAnswer',
    `${DELIVERY_OPERATION}: the service tells the total of some ranges and not of others`,
    { operation: DELIVERY_OPERATION, outcome: 'refused', hint: 'Run the report again.' },
  );
}
