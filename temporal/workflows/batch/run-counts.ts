import type { BatchCounts, BatchOptions, PageReport, PageResult } from '../../contract/batch';
import { addCounts, NO_ROWS, withWaiting } from '../../contract/batch-counts';

/** With fewer rows, a rate means nothing. */
const ROWS_FOR_A_RATE = 20;

/** Ended and failed rows of this round. */
interface EndedHere {
  readonly ended: number;
  readonly failed: number;
}

/** The counts of rows by state: for ended pages from their result, for other pages from their last report. */
export class RunCounts {
  readonly #reports = new Map<number, PageReport>();
  #ended: BatchCounts = NO_ROWS;
  #pagesDone = 0;
  #failures = 0;
  /** Rows at the last resume. The limits of failures count from there. */
  #forgiven: EndedHere = { ended: 0, failed: 0 };

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
  }

  /** The page was lost. Its next run reports its rows again. */
  forget(page: number): void {
    this.#reports.delete(page);
  }

  pageEnded({ page, counts, failures }: PageResult): void {
    this.#reports.delete(page);
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
    return reasonToPause(options, {
      ended: ended - this.#forgiven.ended,
      failed: failed - this.#forgiven.failed,
    });
  }

  /** The limits of failures count from now on. */
  forgive(): void {
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

/** Why the batch pauses by itself, a full sentence. Undefined: it continues. */
function reasonToPause(
  { maxFailures, maxFailureRate }: Pick<BatchOptions, 'maxFailures' | 'maxFailureRate'>,
  { ended, failed }: EndedHere,
): string | undefined {
  if (maxFailures !== undefined && failed > 0 && failed >= maxFailures) {
    return `${String(failed)} rows have failed, and the batch pauses at ${String(maxFailures)}.`;
  }
  if (maxFailureRate === undefined || failed === 0 || ended < ROWS_FOR_A_RATE) return undefined;
  if (failed / ended < maxFailureRate) return undefined;
  return `${String(failed)} of ${String(ended)} rows have failed, and the batch pauses at ${percent(maxFailureRate)}.`;
}

function percent(rate: number): string {
  return `${String(Math.round(rate * 1000) / 10)} %`;
}
