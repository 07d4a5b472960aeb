import type { AccountName } from '../../api/account';
import { BATCH_OPTIONS } from '../../api/options/batch-options';
import { defaultsOf } from '../../api/options/option';
import type { OptionValues } from '../../api/options/option';
import type { UploadOptions } from '../../api/options/upload-options';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Orphan, StepFailure } from '../../api/upload/types';
import type { FileLocation } from '../../files/file-location';
import type { ManifestFormat } from '../../manifest/format';
import type { ManifestRow } from '../../manifest/row';
import type { Sealed } from '../upload/types';

/**
 * What clients and workers agree on for batches. The root `uploadBatch` plans the manifest into pages of rows and keeps
 * several pages open. Each page is a child `uploadBatchPage`. One activity of the page, `uploadPage`, uploads its small
 * files. Each large file is a child `uploadMedia` of the page.
 */
export const BATCH_WORKFLOW = 'uploadBatch';
export const BATCH_PAGE_WORKFLOW = 'uploadBatchPage';

/** Query of the root without arguments, returns `BatchProgress`. `pause` and `resume` are the signals of an upload. */
export const BATCH_PROGRESS_QUERY = 'batchProgress';
/** Signal of a page's activity to the root, `PageReport`: rows failed. */
export const PAGE_REPORT_SIGNAL = 'pageReport';

export interface BatchInput {
  readonly account: AccountName & { readonly accountId: string };
  readonly queuePrefix: string;
  /** Name of the batch within its account: letters, digits, `.`, `_`, `-`. */
  readonly batchId: string;
  readonly manifest: ManifestInput;
  /** Digest of the manifest's text, or of its rows without queries of URLs, if the starter has read it. */
  readonly manifestDigest?: string;
  /** Folder for pages, page journals and results. */
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  /** Retry the rows that failed in an earlier run. Default false: they stay failed. */
  readonly retryFailed?: boolean;
  /**
   * Temporal knows an earlier start of this batch whose manifest was accepted. The batch's folder contains what was
   * uploaded.
   */
  readonly again?: boolean;
}

/** A manifest that workers read. */
export interface ManifestFile {
  readonly source: SourceDescriptor;
  readonly format: ManifestFormat;
}

/** A manifest that workers read, or rows in the input itself (at most 1.8 MB of JSON as sent). */
export type Manifest<Row> = ManifestFile | { readonly rows: readonly Row[] };

/** As workers get it: its rows are checked. */
export type ManifestInput = Manifest<SealedRow>;

/** A row as histories and the batch's folder hold it. */
export interface SealedRow {
  /** For an http row, the source is the label of its URL, and `sealed` contains the URL. */
  readonly row: ManifestRow;
  readonly sealed?: Sealed;
}

/** What `BATCH_OPTIONS` describes, and the options of each upload. */
export type BatchOptions = OptionValues<typeof BATCH_OPTIONS> & { readonly upload?: UploadOptions };

export const DEFAULT_BATCH_OPTIONS = defaultsOf(BATCH_OPTIONS);

/** `rows` = completed + failed + cancelled + running + waiting. */
export interface BatchCounts {
  readonly rows: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly running: number;
  readonly waiting: number;
  /** The number of `completed` rows that an earlier run of the batch completed, or that were joined. */
  readonly earlier: number;
  /** Bytes of completed rows. */
  readonly bytes: number;
}

export type BatchPhase = 'planning' | 'uploading' | 'paused' | 'cancelling' | 'closing' | 'ended';

export interface BatchProgress {
  readonly phase: BatchPhase;
  readonly batchId: string;
  /** 1, plus one each time the batch is started again. */
  readonly round: number;
  /** Counts as far as the root knows: ended pages, and the last reports of running pages, which can be old. */
  readonly counts: BatchCounts;
  /**
   * Counts of ended pages only. Added to the `PageProgress` of each of `pagesRunning`, they give the newest counts.
   */
  readonly ended: BatchCounts;
  readonly pages: number;
  readonly pagesDone: number;
  /** Workflow ids. */
  readonly pagesRunning: readonly string[];
  /** Why the batch paused by itself: a full sentence. */
  readonly pausedBecause?: string;
  /** Epoch ms. */
  readonly startedAt: number;
}

/** Heartbeat details of a page's activity, and the page's memo between two activities. */
export interface PageProgress {
  readonly counts: BatchCounts;
  /** Why steps of the page's rows wait for their next try, and how many rows wait. Unset: none. */
  readonly waiting?: { readonly reason: StepFailure; readonly steps: number };
  /** Workers that may not upload some of the rows. */
  readonly refusedBy?: readonly string[];
}

/** The page's memo. */
export interface PageMemo {
  readonly progress?: PageProgress;
}

/** What is known about the rows of a page. As its result: no row runs or waits. */
export interface PageCounts {
  readonly counts: BatchCounts;
  /** Rows that failed in this round. */
  readonly failures: number;
}

/** Rows that failed for the same reason since the last completed one. */
export interface SameFailed {
  /** See `causeOf`. */
  readonly cause: string;
  readonly count: number;
  readonly last: StepFailure;
}

/** The rows of a worker. */
export interface WorkerFailures extends SameFailed, Pick<PageInput, 'resumes'> {
  /** Its name in Temporal. */
  readonly worker: string;
}

export interface PageReport extends PageCounts {
  readonly page: number;
  /** What is new of a worker. Its number replaces the earlier one. */
  readonly same?: WorkerFailures;
  /** Rows of the batch can be uploaded. */
  readonly proven?: boolean;
}

/** The plan of a manifest: pages of rows in the batch's folder. */
export interface BatchPlan {
  readonly round: number;
  /** Includes the skipped ones. */
  readonly rows: number;
  readonly pages: number;
  /** Wrong rows, which are in no page. Unset: none. */
  readonly skipped?: number;
}

/** A page's input. Only the root starts pages. */
export interface PageInput extends Pick<
  BatchInput,
  'account' | 'queuePrefix' | 'batchId' | 'folder' | 'options'
> {
  readonly retryFailed: boolean;
  readonly round: number;
  /** From 0. */
  readonly page: number;
  /** Rows that the page may upload at once. */
  readonly slots: number;
  readonly paused: boolean;
  /** How often the batch was resumed. Earlier failures no longer count for its limits. */
  readonly resumes: number;
  /** No other page begins before this one reports that rows of the batch can be uploaded. */
  readonly proves?: boolean;
}

/** What every step of a page gets. */
export interface PageStep extends PageInput {
  readonly accountId: string;
  /** See `JournalSegment`. */
  readonly turn: number;
}

/** How a batch ended. A batch with failed rows still ends well as a batch. */
export interface BatchResult {
  readonly batchId: string;
  readonly round: number;
  readonly counts: BatchCounts;
  /**
   * Locations of the results, as `parseLocation` reads them: `results.jsonl`, `results.csv`, and `failed.csv` if rows
   * failed.
   */
  readonly results: { readonly jsonl: string; readonly csv: string; readonly failed?: string };
}

/** How a row ended. `failure`: why it was not completed. */
export interface EndedLine {
  readonly line: ResultLine;
  readonly failure?: StepFailure;
}

/** The root's memo. Lists show all of it. */
export interface BatchMemo {
  readonly batchId?: string;
  /** The manifest's file name, or scheme, host and last segment of its URL. */
  readonly manifest?: string;
  /** The folder of the results, as `parseLocation` reads it. */
  readonly folder?: string;
  /** Newest counts, updated at the end of each run at the latest. */
  readonly counts?: BatchCounts;
  readonly cancelled?: { readonly message: string; readonly hint?: string };
  /** A manifest of the batch was accepted, in this start or an earlier one, so rows may have been uploaded. */
  readonly planned?: boolean;
}

/** One line of the results: how a row ended. Unset fields are unknown or do not apply. */
export interface ResultLine {
  /** Line of the newest manifest, from 1; the header is line 1 of a CSV. */
  readonly line: number;
  readonly id: string;
  /** The source as the manifest names it. A URL without its query. */
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
  /** Identity of the uploaded content, see `sourceIdentity`. */
  readonly identity?: string;
  /** Size of the parts of the session that a failed row left, except the last one. */
  readonly partBytes?: number;
  /** Identity of the file that is there now, if it is not the one that was uploaded. */
  readonly changedTo?: string;
  /** Why nobody knows whether the file has changed since it was uploaded: a full sentence. */
  readonly warning?: string | undefined;
  /** The media of the file that was there before, if a changed file was uploaded. */
  readonly replaces?: string;
  /** The row ended without the answer of a `start` that it sent. */
  readonly startPending?: true;
  /** eTags of the parts, ascending. Also unset if an earlier run sent the parts. */
  readonly eTags?: readonly string[];
  /** Whether every eTag was compared with an MD5. */
  readonly verified?: boolean;
  /** Runs of this row, and tries of its parts beyond the first. */
  readonly attempts: number;
  readonly retries?: number;
  /** `requestId`: for the operator of the service. */
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly requestId?: string;
    readonly hint?: string;
  };
  readonly orphans: readonly Orphan[];
  readonly round: number;
  /** ISO 8601. */
  readonly endedAt: string;
}
