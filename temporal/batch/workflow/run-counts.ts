import { DEFAULT_BATCH_OPTIONS } from '../types';
import type { BatchCounts, BatchOptions, PageReport, PageCounts } from '../types';
import { addCounts, NO_ROWS, withWaiting } from '../counts';
import { reasonOfSame, reasonToPause } from '../pause-reasons';
import type { EndedHere } from '../pause-reasons';

/** The counts of rows by state: for ended pages from their result, for other pages from their last report. */
export class RunCounts {
  readonly #reports = new Map<number, PageReport>();
  /** Since the last resume: the last report of rows that failed for the same reason, by worker. */
  readonly #same = new Map<string, PageReport>();
  #resumes = 0;
  #ended: BatchCounts = NO_ROWS;
  #pagesDone = 0;
  #failures = 0;
  /** Rows at the last resume. The limits of failures count from there. */
  #forgiven: EndedHere = { ended: 0, failed: 0 };

  /** Wrong rows of the manifest, which are in no page. The limits of failures ignore them. */
  skipped(count: number): void {
    this.#ended = { ...this.#ended, rows: count, failed: count };
  }

  /** Counts of ended pages only. */
  get ended(): BatchCounts {
    return this.#ended;
  }

  get pagesDone(): number {
    return this.#pagesDone;
  }

  /** Counts of this number of rows. Rows that no page has reported count as waiting. */
  counts(rows: number): BatchCounts {
    return withWaiting({ ...this.#all(), rows });
  }

  reported(report: PageReport): void {
    this.#reports.set(report.page, report);
    const { same } = report;
    if (same?.resumes === this.#resumes) this.#same.set(same.worker, report);
  }

  pageEnded(page: number, { counts, failures }: PageCounts): void {
    this.#reports.delete(page);
    for (const [worker, report] of this.#same)
      if (report.page === page && counts.completed > counts.earlier) this.#same.delete(worker);
    this.#ended = addCounts(this.#ended, counts);
    this.#failures += failures;
    this.#pagesDone += 1;
  }

  /** All rows have ended with these counts. */
  closed(counts: BatchCounts): void {
    this.#reports.clear();
    this.#ended = counts;
  }

  /** Why the batch should pause by itself: a full sentence. */
  reasonToPause(options: BatchOptions): string | undefined {
    const { ended, failed } = this.#endedHere();
    const { maxSameFailures } = { ...DEFAULT_BATCH_OPTIONS, ...options };
    const same = [...this.#same.values()].flatMap((report) => report.same ?? []);
    const sameReason = reasonOfSame(maxSameFailures, same);
    if (sameReason !== undefined) return sameReason;
    return reasonToPause(options, {
      ended: ended - this.#forgiven.ended,
      failed: failed - this.#forgiven.failed,
    });
  }

  /** The limits of failures count from this resume on. */
  forgive(resumes: number): void {
    this.#resumes = resumes;
    this.#same.clear();
    this.#forgiven = this.#endedHere();
  }

  #all(): BatchCounts {
    return [...this.#reports.values()].reduce((sum, { counts }) => addCounts(sum, counts), this.#ended);
  }

  /** Rows that ended in this round. */
  #endedHere(): EndedHere {
    const failed = [...this.#reports.values()].reduce((sum, { failures }) => sum + failures, this.#failures);
    const { completed, earlier } = this.#all();
    return { ended: failed + completed - earlier, failed };
  }
}
