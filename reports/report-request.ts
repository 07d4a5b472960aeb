import { wrongField } from '../api/errors';
import type { DeliveryFields } from '../api/webhooks/delivery-fields';
import { resolveQuery } from '../api/webhooks/delivery-query';
import type { DeliveryQuery } from '../api/webhooks/delivery-query';
import { intervalFor, intervalsOf } from './period/intervals';
import type { Interval } from './period/intervals';
import { periodBefore } from './period/period';
import type { Period } from './period/period';

export const GROUPS = ['media', 'subAccount'] as const;
/** The fields by which failed deliveries can be grouped. */
export type Group = (typeof GROUPS)[number];

/** The deliveries to report, and how to count them. */
export interface ReportRequest {
  /** `from`, `to`, `zone`, `mediaId` and `subAccountId` as in every search. */
  readonly query: Omit<DeliveryQuery, 'status'>;
  /** Default: by the length of the range. */
  readonly interval?: Interval;
  /** Default: media. Each group needs the failed records themselves, which is the largest cost of a report. */
  readonly groups?: readonly Group[];
  /** Rows of each group, 1 to 100. Default 10. */
  readonly top?: number;
  /** Whether to count the period before, too. Default true. */
  readonly compare?: boolean;
  /** Maximum number of records to read, 1 or more. With more records, the report is incomplete. Default 20,000. */
  readonly maxRecords?: number;
  /** Names of the records' fields, instead of the usual candidates. */
  readonly fields?: DeliveryFields;
}

/** A complete request. Its period does not change while it is read. */
export interface ReportPlan {
  readonly query: Omit<DeliveryQuery, 'status'> & Period;
  readonly zone: string;
  readonly period: Period;
  /** Time of the request, epoch ms. */
  readonly now: number;
  readonly before: Period | undefined;
  readonly interval: Interval;
  readonly intervals: readonly Period[];
  readonly groups: readonly Group[];
  readonly top: number;
  readonly maxRecords: number;
  readonly fields: DeliveryFields;
}

/** Throws a `ValidationError` that names the field. `now`: epoch ms. */
export function planReport(request: ReportRequest, now: number): ReportPlan {
  const { from, to, ...query } = resolveQuery(request.query, now);
  const zone = query.zone ?? 'UTC';
  const period = { from, to };
  const interval = request.interval ?? intervalFor(period);
  return {
    query: { ...query, ...period },
    zone,
    period,
    now,
    before: request.compare === false ? undefined : periodBefore(period, zone),
    interval,
    intervals: intervalsOf(period, interval, zone),
    groups: [...new Set<Group>(request.groups ?? ['media'])],
    top: checkedCount('top', request.top ?? 10, 100),
    maxRecords: checkedCount('maxRecords', request.maxRecords ?? 20_000, Number.MAX_SAFE_INTEGER),
    fields: request.fields ?? {},
  };
}

function checkedCount(field: string, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  const bound = max === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${max}`;
  throw wrongField(field, `must be a whole number ${bound}`);
}
