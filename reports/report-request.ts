import { checkOptions, defaultsOf } from '../api/options/option';
import type { OptionValues } from '../api/options/option';
import { REPORT_OPTIONS } from '../api/options/search-options';
import type { DeliveryFields } from '../api/webhooks/delivery-fields';
import { resolveQuery } from '../api/webhooks/delivery-query';
import type { DeliveryQuery } from '../api/webhooks/delivery-query';
import { intervalFor, intervalsOf } from './period/intervals';
import type { Interval } from './period/intervals';
import { periodBefore } from './period/period';
import type { Period } from './period/period';

export const GROUPS = REPORT_OPTIONS.groups.values;
/** The fields by which failed deliveries can be grouped. */
export type Group = (typeof GROUPS)[number];

/** The deliveries to report, and how `REPORT_OPTIONS` count them. */
export interface ReportRequest extends Omit<OptionValues<typeof REPORT_OPTIONS>, 'fields'> {
  /** `from`, `to`, `zone`, `mediaId` and `subAccountId` as in every search. */
  readonly query: Omit<DeliveryQuery, 'status'>;
  /** Default: by the length of the range. */
  readonly interval?: Interval;
  /** Names of the records' fields, instead of the usual candidates. */
  readonly fields?: DeliveryFields;
}

const DEFAULTS = defaultsOf(REPORT_OPTIONS);

/** A complete request. Its period does not change while it is read. */
export interface ReportPlan {
  readonly query: Omit<DeliveryQuery, 'status'> & Period;
  readonly zone: string;
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
  checkOptions(REPORT_OPTIONS, request, '');
  const { from, to, ...query } = resolveQuery(request.query, now);
  const zone = query.zone ?? 'UTC';
  const period = { from, to };
  const interval = request.interval ?? intervalFor(period);
  return {
    query: { ...query, ...period },
    zone,
    now,
    before: request.compare === false ? undefined : periodBefore(period, zone),
    interval,
    intervals: intervalsOf(period, interval, zone),
    // Each group needs the failed records themselves, which is the largest cost of a report.
    groups: [...new Set<Group>(request.groups ?? ['media'])],
    top: request.top ?? DEFAULTS.top,
    maxRecords: request.maxRecords ?? DEFAULTS.maxRecords,
    fields: request.fields ?? {},
  };
}
