import { createHash } from 'node:crypto';
import { nextPeriod } from '../../../reports/period/next-period';
import type { Period } from '../../../reports/period/period';
import type { ForAccount } from '../../upload/types';
import { withinLimit } from '../types';
import type { ReportCursor, ReportSchedule } from '../types';
import { HOUR_MS, MINUTE_MS } from '../../../api/clock';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { inHeartbeatingActivity } from '../../worker/in-activity';
import type { JsonObject } from '../../../api/json';
import { retryingService } from '../../../api/service/service';
import type { Service } from '../../../api/service/service';
import { createDeliveryReader } from '../../../api/webhooks/delivery-fields';
import type { DeliveryReader } from '../../../api/webhooks/delivery-fields';
import { readPeriodDeliveries } from '../../../api/webhooks/delivery-search';
import { collectReport } from '../../../reports/collect-report';
import { largestFirst } from '../../../reports/counts/counts';
import { lateStep } from '../../../reports/late/late-step';
import type { LateStep } from '../../../reports/late/late-step';
import type { DeliveryReport, LateRecords } from '../../../reports/report';

/** A period ends this long before now, because the newest deliveries may not be found yet. */
const LAG_MS = 10 * MINUTE_MS;

type PlanInput = ForAccount<{
  readonly schedule: ReportSchedule;
  /** Ends of the last delivered periods, ISO 8601. Null: none was delivered. */
  readonly delivered: readonly (string | null)[];
}>;

/** The period that is due after each end. Null: everything old enough was delivered. */
export function planFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, delivered }: PlanInput): Promise<(Period | null)[]> =>
    inHeartbeatingActivity(async () => {
      const { zone, interval } = schedule;
      const now = accountOf(deps, accountId).service.clock.now();
      return delivered.map(
        (end) => nextPeriod({ deliveredTo: end ?? undefined, now, lagMs: LAG_MS, zone, interval }) ?? null,
      );
    });
}

/** How far before a period it looks for late records. */
const OVERLAP_MS = 24 * HOUR_MS;
const MAX_LATE_RECORDS = 20_000;
const TOP = 10;
/** 64 bits. Among a million records, the chance that two have the same id is 1 in 37 million. */
const ID_BYTES = 8;

type ReadInput = ForAccount<{
  readonly schedule: ReportSchedule;
  readonly period: Period;
  /** What the targets have received before. */
  readonly cursor: ReportCursor;
}>;

export interface FailureReading {
  readonly report: DeliveryReport;
  /** What the targets have received once they have this report. */
  readonly cursor: ReportCursor;
}

/**
 * Counts the deliveries of the period. Also searches for failed deliveries from before the period that no report has
 * found yet.
 */
export function readFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, period, cursor }: ReadInput): Promise<FailureReading> =>
    inHeartbeatingActivity(async (signal) => {
      // A read of many pages would begin again at its first one.
      const service = retryingService(accountOf(deps, accountId).service);
      await deps.accountRates.admitCall(accountId, signal);
      const step = lateStep(period, OVERLAP_MS, cursor);
      const reading: Reading = { service, schedule, period, step, signal };
      const late = await findLate(reading);
      const { report, ids } = await countPeriod(reading);
      const seen = step.seenAfter({ ids, late: late?.ids ?? [], complete: report.complete });
      const shown = late === undefined ? {} : { late: late === null ? null : late.records };
      const { since } = cursor;
      const marking = { schedule: schedule.id, accountId, isFirst: since === period.from };
      const after = withinLimit({ since, deliveredTo: period.to, seen });
      return { report: markedReport({ ...report, ...shown }, marking), cursor: after };
    });
}

interface Reading {
  readonly service: Service;
  readonly schedule: ReportSchedule;
  readonly period: Period;
  readonly step: LateStep;
  readonly signal: AbortSignal;
}

async function countPeriod({
  service,
  schedule,
  period,
  step,
  signal,
}: Reading): Promise<{ report: DeliveryReport; ids: string[] }> {
  const { zone, scope } = schedule;
  const reader = createDeliveryReader();
  const ids: string[] = [];
  const onFailed = (record: JsonObject): void => {
    if (step.keeps(reader.sentAt(record))) ids.push(shortId(reader, record));
  };
  const query = { ...period, ...scope, zone };
  return { report: await collectReport(service, { query, onFailed }, signal), ids };
}

interface Late {
  readonly ids: readonly string[];
  readonly records: LateRecords;
}

/** Undefined: there is nothing to look for. Null: late records can't be recognised. */
async function findLate({ service, schedule, step, signal }: Reading): Promise<Late | null | undefined> {
  const { scope, zone } = schedule;
  const { range } = step;
  if (range === undefined || range === null) return range;
  const reader = createDeliveryReader();
  const read = await readPeriodDeliveries(
    service,
    { ...range, ...scope, zone, status: ['FAILED'] },
    { reader, maxItems: MAX_LATE_RECORDS, signal },
  );
  if (read === 'tooMany') return null;
  const byId = new Map([...read.records.values()].map((record) => [shortId(reader, record), record]));
  const ids = step.lateOf([...byId.keys()]);
  const counts = new Map<string | null, number>();
  for (const id of ids) {
    const media = reader.text(byId.get(id) ?? {}, 'media') ?? null;
    counts.set(media, (counts.get(media) ?? 0) + 1);
  }
  const media = largestFirst(counts)
    .slice(0, TOP)
    .map(([id, failed]) => ({ id, failed }));
  return { ids, records: { ...range, failed: ids.length, media } };
}

function shortId(reader: DeliveryReader, record: JsonObject): string {
  const digest = createHash('sha256').update(reader.identity(record)).digest();
  return digest.subarray(0, ID_BYTES).toString('base64url');
}

interface Marking {
  /** Id of the schedule. */
  readonly schedule: string;
  readonly accountId: string;
  /** No earlier report is known. */
  readonly isFirst: boolean;
}

/** Adds what a report says about itself besides its figures. */
function markedReport(report: DeliveryReport, { schedule, accountId, isFirst }: Marking): DeliveryReport {
  const notices = [
    ...(isFirst
      ? [
          `This is the first known report of the schedule "${schedule}" to these targets. If you got reports before, the schedule was made again, and you may get this period twice.`,
        ]
      : []),
    ...report.notices,
    ...(report.late === null
      ? ['Late records were not searched for, because not all records of the previous report could be read.']
      : []),
  ];
  return { ...report, sender: { schedule, accountId }, notices };
}
