import type { Change, Counts } from './counts/counts';
import type { LateRecords } from './late/late-records';
import type { Interval } from './period/intervals';
import type { Window } from './period/window';

/** How the figures of a status were got: asked of the service interval by interval, or counted in the records themselves. */
export type CountedBy = 'countQueries' | 'records';

/** One media or sub-account that has failed deliveries. */
export interface GroupRow {
  /** Null: the records name none. */
  readonly id: string | null;
  readonly failed: number;
  /** Null where the service does not tell. */
  readonly success: number | null;
  readonly failureRate: number | null;
}

export interface Breakdown {
  /** Those with most failures, at most `top`. */
  readonly rows: readonly GroupRow[];
  /** All deliveries that are in no row, so that rows and others add up to the totals. */
  readonly others: { readonly failed: number; readonly success: number | null };
  /** How many of them have failures, as far as records were read. */
  readonly withFailures: number;
}

/** What happened to the webhook deliveries of a window. Plain data: it survives JSON. */
export interface DeliveryReport {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly zone: string;
  readonly scope: { readonly mediaId: string | null; readonly subAccountId: string | null };
  readonly totals: Counts;
  /** The period before and the difference to it; null where it was not asked for or could not be counted. */
  readonly before: (Window & Counts) | null;
  readonly change: Change | null;
  readonly interval: Interval;
  readonly intervals: readonly (Window & Counts)[];
  readonly media: Breakdown | null;
  readonly subAccounts: Breakdown | null;
  readonly recordsRead: number;
  /** False where the cap ended the reading: `notices` says what is missing. */
  readonly complete: boolean;
  readonly countedBy: { readonly failed: CountedBy; readonly success: CountedBy };
  /** Sentences for people. */
  readonly notices: readonly string[];
  /** Scheduled reports only; null: they could not be told from those that were reported. */
  readonly late?: LateRecords | null;
  /** Scheduled reports only: which of many this is. */
  readonly sender?: { readonly schedule: string; readonly accountId: string };
  /** Stands before the subject, as `TEST`. */
  readonly mark?: string;
}
