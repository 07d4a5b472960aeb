import { ValidationError } from '../api/errors';
import type { JsonObject } from '../api/json';
import type { DeliveryFields } from '../api/webhooks/delivery-fields';
import { resolveQuery } from '../api/webhooks/delivery-query';
import type { DeliveryQuery } from '../api/webhooks/delivery-query';
import { intervalFor, intervalsOf } from './period/intervals';
import type { Interval } from './period/intervals';
import { windowBefore } from './period/window';
import type { Window } from './period/window';

export const GROUPS = ['media', 'subAccount'] as const;
/** What failed deliveries can be counted by, besides time. */
export type Group = (typeof GROUPS)[number];

/** Which deliveries, and how they are counted. */
export interface ReportRequest {
  /** `from`, `to`, `zone`, `mediaId` and `subAccountId` as in every search. */
  readonly query: Omit<DeliveryQuery, 'status'>;
  /** Default: by the length of the range. */
  readonly interval?: Interval;
  /** Default: media. Each needs the failed records themselves, so it is what a report costs most for. */
  readonly groups?: readonly Group[];
  /** Rows of each group, 1 to 100. Default 10. */
  readonly top?: number;
  /** Whether the period before is counted too. Default true. */
  readonly compare?: boolean;
  /** Records read at most, 1 or more; what lies beyond makes the report incomplete. Default 20,000. */
  readonly maxRecords?: number;
  /** Names of the records' fields, in place of the candidates. */
  readonly fields?: DeliveryFields;
  /** Called with each failed record of the window that is read; all of them are where there are groups and the cap does not end the reading. */
  readonly onFailed?: (record: JsonObject) => void;
}

/** A request with nothing left open; its window does not move while it is read. */
export interface ReportPlan {
  readonly query: Omit<DeliveryQuery, 'status'> & Window;
  readonly zone: string;
  readonly window: Window;
  /** When it was asked for, epoch ms. */
  readonly now: number;
  readonly before: Window | undefined;
  readonly interval: Interval;
  readonly intervals: readonly Window[];
  readonly groups: readonly Group[];
  readonly top: number;
  readonly maxRecords: number;
  readonly fields: DeliveryFields;
  readonly onFailed?: (record: JsonObject) => void;
}

/** Throws a `ValidationError` that names the field. `now`: epoch ms. */
export function planReport(request: ReportRequest, now: number): ReportPlan {
  const { from, to, ...query } = resolveQuery(request.query, now);
  const zone = query.zone ?? 'UTC';
  const window = { from, to };
  const interval = request.interval ?? intervalFor(window);
  return {
    query: { ...query, ...window },
    zone,
    window,
    now,
    before: request.compare === false ? undefined : windowBefore(window, zone),
    interval,
    intervals: intervalsOf(window, interval, zone),
    groups: [...new Set<Group>(request.groups ?? ['media'])],
    top: wholeNumber('top', request.top ?? 10, 100),
    maxRecords: wholeNumber('maxRecords', request.maxRecords ?? 20_000, Number.MAX_SAFE_INTEGER),
    fields: request.fields ?? {},
    ...(request.onFailed === undefined ? {} : { onFailed: request.onFailed }),
  };
}

function wholeNumber(field: string, value: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  const bound = most === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${most}`;
  throw new ValidationError(field, `${field} is no whole number ${bound}`);
}
