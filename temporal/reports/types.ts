import type { AccountName } from '../../api/account';
import type { FileLocation } from '../../files/file-location';
import type { ReportInterval } from '../../reports/period/next-period';
import type { Period } from '../../reports/period/period';
import type { Sealed } from '../upload/types';
import type { SeenRecords } from '../../reports/late/seen-records';

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
}

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
export function reportRunId(accountId: string, id: string): string {
  return `${reportScheduleId(accountId, id)}/run`;
}

/** How far a target received reports, and of which failed records. */
export interface ReportCursor {
  /** Start of the first period, ISO 8601. */
  readonly since: string;
  /** End of the last period that arrived, ISO 8601. `since` if none has arrived. */
  readonly deliveredTo: string;
  readonly seen: SeenRecords;
}

/** Targets at the same point, which get the same report. Without a cursor they are new. */
export interface TargetGroup {
  /** Keys of targets. */
  readonly targets: readonly string[];
  readonly cursor?: ReportCursor;
}

/**
 * What a run hands on to the schedule's next run: as part of its result, or in the details of its failure. Temporal
 * keeps the end of the last run for the next one.
 */
export interface HandedOn {
  readonly served: readonly TargetGroup[];
}

export type Cursors = Map<string, ReportCursor>;

/** The cursors of the targets by the first of these ends of runs, results or failures, that hands any on. */
export function cursorsOf(ends: readonly unknown[]): Cursors {
  const served = ends.flatMap(valuesOf).find(isHandedOn)?.served ?? [];
  return new Map(
    served.flatMap(({ targets, cursor }) =>
      cursor === undefined ? [] : targets.map((target) => [target, cursor] as const),
    ),
  );
}

/** The result itself, or all details of a failure and its causes. */
function valuesOf(end: unknown): unknown[] {
  if (!(end instanceof Error)) return [end];
  const details: readonly unknown[] = 'details' in end && Array.isArray(end.details) ? end.details : [];
  return [...details, ...valuesOf(end.cause)];
}

/** Only our own workflow writes it. */
function isHandedOn(value: unknown): value is HandedOn {
  return typeof value === 'object' && value !== null && 'served' in value && Array.isArray(value.served);
}

/** Targets that are no longer among the keys are left out: if they are added again, they are new. */
export function groupTargets(
  keys: readonly string[],
  cursors: ReadonlyMap<string, ReportCursor>,
): TargetGroup[] {
  const groups: { targets: string[]; cursor?: ReportCursor }[] = [];
  for (const key of keys) {
    const cursor = cursors.get(key);
    const group = groups.find((each) => isSame(each.cursor, cursor));
    if (group === undefined) groups.push({ targets: [key], ...(cursor === undefined ? {} : { cursor }) });
    else group.targets.push(key);
  }
  return groups;
}

function isSame(one: ReportCursor | undefined, other: ReportCursor | undefined): boolean {
  if (one === other) return true;
  return (
    one?.since === other?.since &&
    one?.deliveredTo === other?.deliveredTo &&
    JSON.stringify(one?.seen) === JSON.stringify(other?.seen)
  );
}

/** Above this number seen records are forgotten: Temporal warns of payloads above 512 KiB, and an id takes 14 bytes. */
export const MAX_SEEN = 30_000;

/** The cursor without its seen records if there are too many, in it or in all cursors together. */
export function withinLimit(cursor: ReportCursor, count = countSeen(cursor)): ReportCursor {
  return count <= MAX_SEEN ? cursor : { ...cursor, seen: [{ until: cursor.deliveredTo, ids: null }] };
}

function countSeen({ seen }: ReportCursor): number {
  return seen.reduce((count, { ids }) => count + (ids?.length ?? 0), 0);
}

export function handedOn(keys: readonly string[], cursors: ReadonlyMap<string, ReportCursor>): HandedOn {
  const served = groupTargets(keys, cursors);
  const total = served.reduce((sum, { cursor }) => sum + (cursor === undefined ? 0 : countSeen(cursor)), 0);
  return {
    served: served.map(({ targets, cursor }) =>
      cursor === undefined ? { targets } : { targets, cursor: withinLimit(cursor, total) },
    ),
  };
}
