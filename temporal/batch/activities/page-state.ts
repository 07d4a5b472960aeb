import { given } from '../../../api/json';
import { jsonBytes } from '../../../api/upload/types';
import type { StepFailure } from '../../../api/upload/types';
import type { PageRow, Processing } from '../files/page-journal';
import type { RowName } from '../files/result-line';
import type { BatchCounts, PageCounts, PageProgress, PageStep, ResultLine } from '../types';
import { NO_ROWS, withEnded, withWaiting } from '../counts';
import type { UploadWorkflowInput } from '../../upload/types';

/** Inputs of own uploads in one result, bytes. The page is uploaded again for more of them. */
const MAX_OWN_BYTES = 512 * 1024;

/** Without a failed row for this long, a batch counts as proven, ms. */
const PROOF_MS = 5_000;

/** `paused`: begins nothing, and only waits for rows that the service processes. */
export type UploadPageInput = PageStep & { readonly own: OwnIds };

/** What an attempt of `uploadPage` returns. */
export interface UploadedPage extends PageCounts {
  readonly own: readonly OwnRow[];
  /** The service still processes rows. */
  readonly processing: boolean;
  /** Rows are left to begin: the page was stopped, or has many large files. */
  readonly more: boolean;
}

/** Ids of rows with their own workflow that have not ended, and whether it has begun. */
export type OwnIds = readonly (readonly [id: string, isBegun: boolean])[];

/** A row with its own workflow. */
export interface OwnRow {
  readonly name: RowName;
  readonly upload: UploadWorkflowInput;
  readonly inputDigest: string;
}

/** What one attempt knows about the rows of its page. */
export class PageState {
  readonly #begunAt = performance.now();
  /** Why a step of a running row is retried, by row id. */
  readonly #retried = new Map<string, StepFailure>();
  readonly processing = new Map<string, Processing>();
  readonly own: OwnRow[] = [];
  #ownBytes = 0;
  #queued = 0;
  #counts: BatchCounts = NO_ROWS;
  #failures = 0;

  constructor(private readonly round: number) {}

  get counted(): PageCounts {
    return { counts: this.#counts, failures: this.#failures };
  }

  /** Whether rows of the batch can be uploaded: nothing that all of them share is wrong. */
  get isProof(): boolean {
    const { completed, earlier } = this.#counts;
    if (completed > earlier || this.processing.size > 0 || this.own.length > 0) return true;
    return this.#failures === 0 && performance.now() - this.#begunAt > PROOF_MS;
  }

  /** Whether the result has no room for further rows with their own workflow. */
  get isFull(): boolean {
    return this.#ownBytes > MAX_OWN_BYTES;
  }

  /** Whether rows wait, besides those with their own workflow. */
  get hasMore(): boolean {
    return this.#counts.waiting > this.own.length + this.#queued;
  }

  /** Counts the rows that have ended or run, and returns those to begin. */
  load(
    rows: readonly PageRow[],
    { retryFailed, own }: { readonly retryFailed: boolean; readonly own: OwnIds },
  ): PageRow[] {
    const begun = new Map(own);
    this.#queued = own.filter(([, isBegun]) => !isBegun).length;
    const open: PageRow[] = [];
    this.#counts = { ...this.#counts, rows: rows.length };
    for (const row of rows) {
      const { result, processing } = row;
      const { id } = row.planned.row;
      const isBegun = begun.get(id);
      if (isBegun === false) continue;
      if (processing !== undefined) this.processing.set(id, processing);
      if (processing !== undefined || (isBegun === true && result?.round !== this.round)) this.begin();
      else if (result === undefined || (isBegun === undefined && this.#isAgain(result, retryFailed)))
        open.push(row);
      else this.#addEnded(result);
    }
    this.#count({});
    return open;
  }

  /** Whether a row that ended so is uploaded again in this round. */
  #isAgain({ status, round }: ResultLine, retryFailed: boolean): boolean {
    return status === 'CANCELLED' || (status === 'FAILED' && retryFailed && round < this.round);
  }

  begin(): void {
    this.#count({ running: this.#counts.running + 1 });
  }

  /** A step of the row waits for its next try. Undefined: not any more. */
  retried(id: string, failure: StepFailure | undefined): void {
    if (failure === undefined) this.#retried.delete(id);
    else this.#retried.set(id, failure);
  }

  /** The row was not uploaded, and waits again. */
  requeue(): void {
    this.#count({ running: this.#counts.running - 1 });
  }

  /** A row that was stopped waits again. Every other one has ended. */
  ended(line: ResultLine): void {
    this.#count({ running: this.#counts.running - 1 });
    if (line.status !== 'CANCELLED') this.#addEnded(line);
    this.#count({});
  }

  addOwn(row: OwnRow): void {
    this.own.push(row);
    this.#ownBytes += jsonBytes(row);
  }

  progress(refusedBy: PageProgress['refusedBy']): PageProgress {
    const [reason] = this.#retried.values();
    const waiting = reason === undefined ? undefined : { reason, steps: this.#retried.size };
    return { counts: this.#counts, ...given({ waiting, refusedBy }) };
  }

  #addEnded(line: ResultLine): void {
    this.#counts = withEnded(this.#counts, line, this.round);
    this.#failures += Number(line.status === 'FAILED' && line.round === this.round);
  }

  #count(change: Partial<BatchCounts>): void {
    this.#counts = withWaiting({ ...this.#counts, ...change });
  }
}
