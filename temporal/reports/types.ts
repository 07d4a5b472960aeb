import type { AccountName } from '../../api/account';
import { isJsonObject } from '../../api/json';
import type { FileLocation } from '../../files/file-location';
import type { Period, ReportInterval } from '../../reports/period/period';
import type { Sealed } from '../upload/types';

/**
 * What clients and workers agree on for scheduled reports of failed webhook deliveries. A Temporal Schedule starts
 * `failureReport` on the account's control queue. The workflow reads a period, sends the report to each target, and
 * hands on to the next run what arrived.
 */
export const REPORT_WORKFLOW = 'failureReport';

export interface FailureReportInput {
  readonly account: AccountName & { readonly accountId: string };
  readonly queuePrefix: string;
  readonly schedule: ReportSchedule;
}

/** A complete schedule, without defaults left to fill in. Contains names of secrets, never secrets. */
export interface ReportSchedule {
  /** Letters, digits, `.`, `_`, `-`; unique within the account. */
  readonly id: string;
  /** IANA zone for days, firing times and the report. */
  readonly zone: string;
  /** When it fires, in the form that Temporal takes, without the zone. */
  readonly cron: string;
  /** The same in words: `every day at 07:00`. */
  readonly times: string;
  readonly interval: ReportInterval;
  readonly scope: ReportScope;
  readonly targets: readonly ReportTarget[];
  readonly mail?: MailSettings;
  /** Name of the secret that signs webhook posts. Unset: posts are not signed. */
  readonly webhookSecret?: string;
  /** A worker without a heartbeat for this time counts as lost, ms. Default 30,000. */
  readonly heartbeatMs?: number;
}

export interface ReportScope {
  readonly mediaId?: string;
  readonly subAccountId?: string;
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

/** The outcome for one target. `nothingDue`: everything up to now was delivered before. */
export interface TargetResult {
  readonly target: string;
  readonly outcome: 'delivered' | 'nothingDue';
  readonly period?: Period;
  /** Message-ID, Idempotency-Key or names of files. */
  readonly reference?: string;
}

export interface FailureReportResult {
  readonly schedule: string;
  readonly targets: readonly TargetResult[];
  /** Figures of the reports that were made, by period. */
  readonly reports: readonly ReportFigures[];
}

export interface ReportFigures extends Period {
  readonly total: number;
  readonly failed: number;
  readonly recordsRead: number;
  readonly complete: boolean;
  /** Notices in the report besides its figures. */
  readonly notices?: readonly string[];
}

/** The account is part of the id, because schedule names are unique only within a namespace. */
export function reportScheduleId(accountId: string, id: string): string {
  return `report/${accountId}/${id}`;
}

/** Temporal adds the time to the id of each regular run. */
export function reportRunId(accountId: string, id: string): string {
  return `${reportScheduleId(accountId, id)}/run`;
}

/**
 * What a run hands on to the schedule's next run: as part of its result, or in the details of its failure. Temporal
 * keeps the end of the last run for the next one.
 */
export interface HandedOn {
  /** How far each target received reports, ISO 8601. A target that is missing is new. */
  readonly delivered: Readonly<Record<string, string>>;
}

/** Ends of the last delivered periods by target, as the first of these ends of runs says that hands any on. */
export function deliveredOf(ends: readonly unknown[]): Map<string, string> {
  return new Map(Object.entries(ends.flatMap(valuesOf).find(isHandedOn)?.delivered ?? {}));
}

/** The result itself, or all details of a failure and its causes. */
function valuesOf(end: unknown): unknown[] {
  if (!(end instanceof Error)) return [end];
  const details: readonly unknown[] = 'details' in end && Array.isArray(end.details) ? end.details : [];
  return [...details, ...valuesOf(end.cause)];
}

/** Only our own workflow writes it. */
function isHandedOn(value: unknown): value is HandedOn {
  return isJsonObject(value) && isJsonObject(value['delivered']);
}

/** Targets that are no longer among the keys are left out: if they are added again, they are new. */
export function handedOn(keys: readonly string[], delivered: ReadonlyMap<string, string>): HandedOn {
  return { delivered: Object.fromEntries([...delivered].filter(([target]) => keys.includes(target))) };
}
