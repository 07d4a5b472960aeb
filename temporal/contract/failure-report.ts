import type { AccountName } from '../../api/account/account';
import type { DeliveryFields } from '../../api/webhooks/delivery-fields';
import type { Place } from '../../places/place';
import type { Cadence } from '../../reports/period/next-window';
import type { Window } from '../../reports/period/window';
import type { Group } from '../../reports/report-request';
import type { Sealed } from '../contract';

/**
 * What clients and workers agree on for scheduled reports of failed webhook deliveries. A Temporal Schedule starts `failureReport` on the
 * account's control queue; it reads a window, sends the report to each target, and notes in the schedule's state what arrived.
 */
export const REPORT_WORKFLOW = 'failureReport';

export const REPORT_INPUT_SCHEMA = 1;

export interface FailureReportInput {
  readonly schema: number;
  readonly account: AccountName & { readonly accountId: string };
  readonly queuePrefix: string;
  readonly schedule: ReportSchedule;
  readonly run: ReportRun;
}

/**
 * `next`: what was not delivered yet, the only kind that moves the state; `backfill`: this window, whatever was delivered; `test`: the last period,
 * marked as a test.
 */
export type ReportRun =
  | { readonly kind: 'next' }
  | { readonly kind: 'backfill'; readonly window: Window }
  | { readonly kind: 'test' };

export const WEEKDAYS = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** When a schedule fires, as a person says it: `every` with `at` and `on`, or `cron`. */
export interface TimingWish {
  /** `1d`, `1w`, `6h`, `30m`. */
  readonly every?: string;
  /** `07:00`; days and weeks only. */
  readonly at?: string;
  /** Weeks only. Default Monday. */
  readonly on?: Weekday;
  /** Minute, hour, day of month, month, day of week. */
  readonly cron?: string;
}

/** A schedule with nothing left open. Holds names of secrets, never secrets. */
export interface ReportSchedule {
  /** Letters, digits, `.`, `_`, `-`; unique within the account. */
  readonly id: string;
  /** IANA zone of days, of the firing times and of the report. */
  readonly zone: string;
  /** When it fires, as it was asked for. */
  readonly timing: TimingWish;
  /** The same in words: `every day at 07:00`. */
  readonly times: string;
  readonly cadence: Cadence;
  /** A window ends so long before now, ms: what was sent last may not be found yet. */
  readonly lagMs: number;
  /** How far before a window late records are looked for, ms; 0: not at all. */
  readonly overlapMs: number;
  readonly scope: ReportScope;
  readonly targets: readonly ReportTarget[];
  readonly state: Place;
  readonly mail?: MailSettings;
  /** Name of the secret that signs webhook posts; unset: they are not signed. */
  readonly webhookSecret?: string;
  /** Whether a report is sent when no delivery failed. */
  readonly whenNothing: 'say' | 'silent';
  /** How long one target is tried, ms. */
  readonly deliveryLimitMs: number;
  /** A worker that says nothing for so long is lost, ms. Default 30,000. */
  readonly heartbeatMs?: number;
}

export interface ReportScope {
  readonly mediaId?: string;
  readonly subAccountId?: string;
  readonly groups?: readonly Group[];
  readonly top?: number;
  readonly maxRecords?: number;
  readonly fields?: DeliveryFields;
}

export interface MailSettings {
  /** Name of the secret that holds the address of the mail server, `smtps://user:password@host`. */
  readonly smtpSecret: string;
  readonly from: string;
}

/** `key` tells targets apart in the state and is shown: it holds no part of an address that can be a secret. */
export type ReportTarget =
  | { readonly kind: 'mail'; readonly key: string; readonly address: string }
  | { readonly kind: 'webhook'; readonly key: string; readonly url: Sealed }
  | { readonly kind: 'place'; readonly key: string; readonly folder: Place };

/** What a report is marked with, where it is not the regular one. */
export type ReportMark = 'BACKFILL' | 'TEST';

/** What became of one target. `silent`: nothing failed, and the schedule says nothing then; `nothingDue`: all up to now was delivered before. */
export interface TargetResult {
  readonly target: string;
  readonly outcome: 'delivered' | 'silent' | 'nothingDue';
  readonly window?: Window;
  /** Message-ID, Idempotency-Key or names of files. */
  readonly reference?: string;
}

export interface FailureReportResult {
  readonly schedule: string;
  readonly kind: ReportRun['kind'];
  readonly targets: readonly TargetResult[];
  /** Of the reports that were made, by window. */
  readonly reports: readonly ReportFigures[];
}

export interface ReportFigures extends Window {
  readonly total: number;
  readonly failed: number;
  readonly late: number | null;
  readonly recordsRead: number;
  readonly complete: boolean;
  /** What the report says besides its figures. */
  readonly notices?: readonly string[];
}

/** Tells lists which schedules are reports, and whose. Holds nothing that can change: Temporal keeps the memo of a schedule that is updated. */
export interface ScheduleMemo {
  readonly kind?: 'failure-report';
  readonly id?: string;
  readonly accountId?: string;
}

/** Schedules are named within a namespace: the account keeps them apart. */
export function reportScheduleId(accountId: string, id: string): string {
  return `report/${accountId}/${id}`;
}

/** Temporal adds the time to the id of each regular run. */
export function reportRunId(accountId: string, id: string, kind: ReportRun['kind']): string {
  const base = reportScheduleId(accountId, id);
  return kind === 'next' ? `${base}/run` : `${base}/${kind}`;
}
