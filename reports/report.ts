import type { Change, Counts } from './counts/counts';
import type { Interval } from './period/intervals';
import type { Period } from './period/period';

/** How the figures of a status were counted: by queries for each interval, or from the records themselves. */
export type CountedBy = 'countQueries' | 'records';

/** One media or sub-account with failed deliveries. */
export interface GroupRow {
  /** Null: deliveries without an id. */
  readonly id: string | null;
  readonly failed: number;
  /** Null: the service does not return it. */
  readonly success: number | null;
  readonly failureRate: number | null;
}

export interface Breakdown {
  /** The rows with the most failures, at most `top`. */
  readonly rows: readonly GroupRow[];
  /** All deliveries that are not in a row. Rows and others add up to the totals. */
  readonly others: { readonly failed: number; readonly success: number | null };
  /** How many media or sub-accounts have failures, as far as records were read. */
  readonly withFailures: number;
}

/** A summary of the webhook deliveries of a period. Plain data that can be stored as JSON. */
export interface DeliveryReport {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly zone: string;
  readonly scope: { readonly mediaId: string | null; readonly subAccountId: string | null };
  readonly totals: Counts;
  /** The period before and the difference to it. Null if it was not requested or could not be counted. */
  readonly before: (Period & Counts) | null;
  readonly change: Change | null;
  readonly interval: Interval;
  readonly intervals: readonly (Period & Counts)[];
  readonly media: Breakdown | null;
  readonly subAccounts: Breakdown | null;
  readonly recordsRead: number;
  /** False: the limit ended the read. `notices` say what is missing. */
  readonly complete: boolean;
  readonly countedBy: { readonly failed: CountedBy; readonly success: CountedBy };
  /** Full sentences for readers of the report. */
  readonly notices: readonly string[];
  /** Only in scheduled reports: the schedule and account that sent it. */
  readonly sender?: { readonly schedule: string; readonly accountId: string };
}
