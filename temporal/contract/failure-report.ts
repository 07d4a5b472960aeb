import type { AccountName } from '../../api/account/account';
import type { DeliveryFields } from '../../api/webhooks/delivery-fields';
import type { FileLocation } from '../../files/file-location';
import type { ReportInterval } from '../../reports/period/next-period';
import type { Period } from '../../reports/period/period';
import type { Group } from '../../reports/report-request';
import type { Sealed } from './upload';

/**
 * What clients and workers agree on for scheduled reports of failed webhook deliveries. A Temporal Schedule starts
 * `failureReport` on the account's control queue. The workflow reads a period, sends the report to each target, and
 * hands on to the next run what arrived.
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
 * `next`: what was not delivered yet; only this kind uses and hands on what targets have received. `backfill`: this period, even if it was
 * delivered before. `test`: the last period, marked as a test.
 */
export type ReportRun =
  | { readonly kind: 'next' }
  | { readonly kind: 'backfill'; readonly period: Period }
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

/** When a schedule fires, as the user writes it: `every` with `at` and `on`, or `cron`. */
export interface TimingRequest {
  /** `1d`, `1w`, `6h`, `30m`. */
  readonly every?: string;
  /** `07:00`; days and weeks only. */
  readonly at?: string;
  /** Weeks only. Default Monday. */
  readonly on?: Weekday;
  /** Minute, hour, day of month, month, day of week. */
  readonly cron?: string;
}

/** A complete schedule, without defaults left to fill in. Contains names of secrets, never secrets. */
export interface ReportSchedule {
  /** Letters, digits, `.`, `_`, `-`; unique within the account. */
  readonly id: string;
  /** IANA zone for days, firing times and the report. */
  readonly zone: string;
  /** When it fires, as the user wrote it. */
  readonly timing: TimingRequest;
  /** The same in words: `every day at 07:00`. */
  readonly times: string;
  readonly interval: ReportInterval;
  /** A period ends this long before now, ms, because the newest deliveries may not be found yet. */
  readonly lagMs: number;
  /** How far before a period it looks for late records, ms. 0: not at all. */
  readonly overlapMs: number;
  readonly scope: ReportScope;
  readonly targets: readonly ReportTarget[];
  readonly mail?: MailSettings;
  /** Name of the secret that signs webhook posts. Unset: posts are not signed. */
  readonly webhookSecret?: string;
  /** Whether a report is sent when no delivery failed. */
  readonly onEmpty: 'send' | 'skip';
  /** How long delivery to one target is retried, ms. */
  readonly deliveryLimitMs: number;
  /** A worker without a heartbeat for this time counts as lost, ms. Default 30,000. */
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
  /** Name of the secret that contains the URL of the mail server, `smtps://user:password@host`. */
  readonly smtpSecret: string;
  readonly from: string;
}

/** `key` identifies the target from run to run. It is shown, so it contains no part of a URL that can be a secret. */
export type ReportTarget =
  | { readonly kind: 'mail'; readonly key: string; readonly address: string }
  | { readonly kind: 'webhook'; readonly key: string; readonly url: Sealed }
  | { readonly kind: 'folder'; readonly key: string; readonly folder: FileLocation };

/** The mark of a report that is not the regular one. */
export type ReportMark = 'BACKFILL' | 'TEST';

/**
 * The outcome for one target. `skipped`: nothing failed, and the schedule then sends nothing. `nothingDue`: everything
 * up to now was delivered before.
 */
export interface TargetResult {
  readonly target: string;
  readonly outcome: 'delivered' | 'skipped' | 'nothingDue';
  readonly period?: Period;
  /** Message-ID, Idempotency-Key or names of files. */
  readonly reference?: string;
}

export interface FailureReportResult {
  readonly schedule: string;
  readonly kind: ReportRun['kind'];
  readonly targets: readonly TargetResult[];
  /** Figures of the reports that were made, by period. */
  readonly reports: readonly ReportFigures[];
}

export interface ReportFigures extends Period {
  readonly total: number;
  readonly failed: number;
  readonly late: number | null;
  readonly recordsRead: number;
  readonly complete: boolean;
  /** Notices in the report besides its figures. */
  readonly notices?: readonly string[];
}

/**
 * Shows lists which schedules are reports, and of which account. Contains nothing that can change, because Temporal
 * keeps the memo of an updated schedule.
 */
export interface ScheduleMemo {
  readonly kind?: 'failure-report';
  readonly id?: string;
  readonly accountId?: string;
}

/** The account is part of the id, because schedule names are unique only within a namespace. */
export function reportScheduleId(accountId: string, id: string): string {
  return `report/${accountId}/${id}`;
}

/** Temporal adds the time to the id of each regular run. */
export function reportRunId(accountId: string, id: string, kind: ReportRun['kind']): string {
  const base = reportScheduleId(accountId, id);
  return kind === 'next' ? `${base}/run` : `${base}/${kind}`;
}
