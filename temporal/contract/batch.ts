import type { AccountName } from '../../api/account/account';
import type { JsonObject } from '../../api/json';
import type { EarlierSession, UploadOptions } from '../../api/upload/request/upload-request';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Orphan, StepFailure } from '../../api/upload/upload-steps';
import type { Place } from '../../places/place';

/**
 * What clients and workers agree on for batches. A batch is a tree of workflows: the root `uploadBatch` plans the manifest into pages
 * of rows and keeps a window of pages open, and each page is a child `uploadBatchPage`. A page uploads its small files itself, and each large one as a child
 * `uploadMedia`.
 */
export const BATCH_WORKFLOW = 'uploadBatch';
export const BATCH_PAGE_WORKFLOW = 'uploadBatchPage';

/** Query of the root without arguments, answers `BatchProgress`. `pause` and `resume` are the signals of an upload. */
export const BATCH_PROGRESS_QUERY = 'batchProgress';
/** Query of a page without arguments, answers `PageProgress`. */
export const PAGE_PROGRESS_QUERY = 'pageProgress';
/** Query of a page, one row id: how the row stands, a `WorkflowProgress`; null if the row has not begun, is not of this page, or has a workflow of its own. */
export const ROW_PROGRESS_QUERY = 'rowProgress';
/** Signal of a page to its root, `PageReport`: rows of it failed, or all have begun, so that it needs fewer slots than it was given. */
export const PAGE_REPORT_SIGNAL = 'pageReport';
/** Signal of the root to a page, one number: uploads that it may run at once from now on. */
export const PAGE_SLOTS_SIGNAL = 'pageSlots';

export const BATCH_INPUT_SCHEMA = 1;

export interface BatchInput {
  readonly schema: number;
  readonly account: AccountName & { readonly accountId: string };
  readonly queuePrefix: string;
  /** Names the batch within its account: letters, digits, `.`, `_`, `-`. */
  readonly batchId: string;
  readonly manifest: ManifestInput;
  /** Where pages, page journals and account are written. */
  readonly folder: Place;
  readonly options: BatchOptions;
  /** Retry the rows that failed in an earlier run. Default false: they stay failed. */
  readonly retryFailed?: boolean;
  /** Temporal knew an earlier start of this batch whose manifest was taken: its folder knows what is uploaded. */
  readonly again?: boolean;
  /** What one run of the root hands to the next (continue-as-new); never set by a starter. */
  readonly carried?: CarriedBatch;
}

/**
 * A manifest that workers read, or rows that travel in the input itself (1.5 MB of JSON as it is sent at most), as lines of a JSON lines manifest but for
 * http sources, which are sealed.
 */
export type ManifestInput =
  | { readonly source: SourceDescriptor; readonly format: ManifestFormat }
  | { readonly rows: readonly JsonObject[] };

export type ManifestFormat = 'csv' | 'jsonl';

/** Every field has a default, see `DEFAULT_BATCH_OPTIONS`. */
export interface BatchOptions {
  /** Uploads that run at once, over all workers, 1 to 2,000; files above `maxGroupedBytes` a quarter of that. */
  readonly window?: number;
  /** Rows of a page, 1 to 500. */
  readonly pageRows?: number;
  /** Pause the batch when so many rows have failed. Unset: never. */
  readonly maxFailures?: number;
  /** Pause when this share of ended rows, 0 to 1, has failed (looked at from 20 ended rows on). Unset: never. */
  readonly maxFailureRate?: number;
  /**
   * Pause when so many rows of a page have failed for the same reason and none was completed in between, while rows are left to begin. 0 to 500;
   * 0: never.
   */
  readonly maxSameFailures?: number;
  /** Machine that paths in the manifest lie on; unset: every worker mounts them. */
  readonly sourceHost?: string;
  /** Folder that relative paths in the manifest begin at. */
  readonly sourceFolder?: string;
  /** Name of the secret whose headers go out with http sources. */
  readonly sourceSecret?: string;
  /** The requester pays for S3 sources. */
  readonly requesterPays?: boolean;
  /** Bytes per second of the whole batch, 65,536 or more. Unset: unlimited. */
  readonly bytesPerSecond?: number;
  /** A page uploads files up to this size itself, bytes; each larger one gets a workflow of its own. */
  readonly maxGroupedBytes?: number;
  /** Pages that one run of the root starts before it continues as new. Unset: as many as Temporal suggests. */
  readonly pagesPerRun?: number;
  /** Options of each upload. */
  readonly upload?: UploadOptions;
}

export const DEFAULT_BATCH_OPTIONS = {
  window: 256,
  pageRows: 250,
  maxSameFailures: 10,
  maxGroupedBytes: 64 * 1024 * 1024,
} as const;

/** `rows` = completed + failed + cancelled + running + waiting. */
export interface BatchCounts {
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly running: number;
  readonly waiting: number;
  /** Of `completed`: done by an earlier run of the batch, or joined. */
  readonly earlier: number;
  /** Bytes of completed rows. */
  readonly bytes: number;
}

export type BatchPhase = 'planning' | 'uploading' | 'paused' | 'closing' | 'ended';

export interface BatchProgress {
  readonly phase: BatchPhase;
  readonly batchId: string;
  /** 1, and one more each time the batch is started again. */
  readonly round: number;
  /** As far as the root knows: pages that have ended, and what running pages last told, which can be long ago. */
  readonly counts: BatchCounts;
  /** Of pages that have ended alone; with the `PageProgress` of each of `pagesRunning` added, these are the newest counts. */
  readonly ended: BatchCounts;
  readonly pages: number;
  readonly pagesDone: number;
  /** Workflow ids. */
  readonly pagesRunning: readonly string[];
  /** Why it paused by itself: a full sentence. */
  readonly pausedBecause?: string;
  /** Epoch ms. */
  readonly startedAt: number;
}

export interface PageProgress {
  readonly page: number;
  readonly counts: BatchCounts;
  /** Why steps of its rows wait for their next try, and how many do. Unset: none does. */
  readonly waiting?: { readonly reason: StepFailure; readonly steps: number };
}

export interface PageReport {
  readonly page: number;
  /** Of the page's input: the report of a page that was lost and started again since is ignored. */
  readonly losses: number;
  /** All rows of the page have begun: it needs as many slots as uploads run, and never more again. */
  readonly allBegun: boolean;
  readonly counts: BatchCounts;
  /** Rows that failed in this run of the page. */
  readonly failures: number;
  /** Why the batch should pause, in the first report since that is known: a full sentence. */
  readonly pauseBecause?: string;
}

/** What the manifest became: pages of rows in the batch's folder. */
export interface BatchPlan {
  readonly round: number;
  readonly rows: number;
  readonly pages: number;
}

/** What the root knows at the end of one of its runs. */
export interface CarriedBatch {
  readonly plan: BatchPlan;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly window: {
    readonly nextPage: number;
    readonly again: readonly number[];
    readonly open: readonly { readonly page: number; readonly slots: number; readonly allBegun: boolean }[];
  };
  readonly ended: BatchCounts;
  readonly pagesDone: number;
  /** Rows that failed in pages of this round that have ended. */
  readonly failures: number;
  /** What open pages last told. */
  readonly told: readonly PageReport[];
  /** How often a page was lost, for pages that were. */
  readonly losses: readonly { readonly page: number; readonly times: number }[];
  readonly paused: boolean;
  readonly pausedBecause?: string;
  /** Ended and failed rows at the last resume: the limits of failures count from there. */
  readonly forgiven: { readonly ended: number; readonly failed: number };
}

/** A page's input. The root alone starts pages. */
export interface PageInput {
  readonly schema: number;
  readonly account: AccountName & { readonly accountId: string };
  readonly queuePrefix: string;
  readonly batchId: string;
  readonly folder: Place;
  readonly options: BatchOptions;
  readonly retryFailed: boolean;
  readonly round: number;
  /** From 0. */
  readonly page: number;
  /** Uploads that the page may run at once. */
  readonly slots: number;
  readonly paused: boolean;
  /** How often the page was lost before in this round. */
  readonly losses: number;
}

export interface PageResult {
  readonly page: number;
  /** Nothing of it runs or waits. */
  readonly counts: BatchCounts;
  readonly failures: number;
}

/** How a batch ended; a batch with failed rows has ended well as a batch. */
export interface BatchResult {
  readonly batchId: string;
  readonly round: number;
  readonly counts: BatchCounts;
  /** Where the account lies: `account.jsonl`, `account.csv`, and `failed.csv` where rows failed, as `parsePlace` reads them. */
  readonly account: { readonly jsonl: string; readonly csv: string; readonly failed?: string };
}

/** The root's memo, all of it visible in lists. */
export interface BatchMemo {
  readonly batchId?: string;
  /** Of manifest, folder and options: a start with others under the same id is refused with what differs. */
  readonly inputDigest?: string;
  readonly startId?: string;
  /** The manifest's file name, or scheme, host and last segment of its address. */
  readonly manifest?: string;
  /** Where the account is written, as `parsePlace` reads it. */
  readonly folder?: string;
  /** Newest counts, at the end of each run at the latest. */
  readonly counts?: BatchCounts;
  readonly cancelled?: { readonly message: string; readonly hint?: string };
  /** The manifest was taken: rows may have been uploaded. */
  readonly planned?: boolean;
  /** Run id of the last start before this one whose manifest was taken: what the batch is where this start is refused. */
  readonly before?: string;
}

/** One line of the account: what became of a row. Unset fields are unknown or do not apply. */
export interface AccountLine {
  /** Line of the newest manifest, from 1; the header is line 1 of a CSV. */
  readonly line: number;
  readonly id: string;
  /** As the manifest names it; an address without its query. */
  readonly source: string;
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly workflowId: string;
  /** The upload existed already: another run of the batch, or somebody else, had started it. */
  readonly joined?: boolean;
  readonly title?: string;
  readonly uploadId?: string;
  readonly mediaId?: string;
  readonly fileUrl?: string;
  readonly fileName?: string;
  readonly fileType?: string;
  readonly bytes?: number;
  /** Of the file's content, see `sourceIdentity`. Only of rows that are not completed. */
  readonly identity?: string;
  /** eTags of the parts, ascending. Unset as well if an earlier run sent them. */
  readonly eTags?: readonly string[];
  /** Whether every eTag was held against an MD5. */
  readonly verified?: boolean;
  /** Runs of this row, and tries of its parts beyond the first. */
  readonly attempts: number;
  readonly retries?: number;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly orphans: readonly Orphan[];
  readonly round: number;
  /** ISO 8601. */
  readonly endedAt: string;
}

/** Written to the page journal when a row's session begins, and before `complete` is sent: the next run of the row reads the session first. */
export interface SessionEntry extends EarlierSession {
  /** Of the row. */
  readonly id: string;
  /** ISO 8601. */
  readonly notedAt: string;
}
