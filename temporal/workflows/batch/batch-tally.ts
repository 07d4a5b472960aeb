import type { BatchCounts, BatchOptions, CarriedBatch, PageReport, PageResult } from '../../contract/batch';
import { addCounts, NO_ROWS, withWaiting } from '../../contract/batch-counts';
import { reasonToPause } from './failure-limit';

type Carried = Pick<CarriedBatch, 'ended' | 'pagesDone' | 'failures' | 'told' | 'forgiven'>;

/** What pages have told of their rows: those that have ended with their result, the others with their last report. */
export class BatchTally {
  readonly #told: Map<number, PageReport>;
  #ended: BatchCounts;
  #pagesDone: number;
  #failures: number;
  #forgiven: CarriedBatch['forgiven'];

  constructor(carried?: Carried) {
    this.#told = new Map(carried?.told.map((report) => [report.page, report]));
    this.#ended = carried?.ended ?? NO_ROWS;
    this.#pagesDone = carried?.pagesDone ?? 0;
    this.#failures = carried?.failures ?? 0;
    this.#forgiven = carried?.forgiven ?? { ended: 0, failed: 0 };
  }

  get state(): Carried {
    return {
      ended: this.#ended,
      pagesDone: this.#pagesDone,
      failures: this.#failures,
      told: [...this.#told.values()],
      forgiven: this.#forgiven,
    };
  }

  /** Of pages that have ended alone. */
  get ended(): BatchCounts {
    return this.#ended;
  }

  get pagesDone(): number {
    return this.#pagesDone;
  }

  /** Of so many rows; those that nobody told of wait. */
  counts(rows: number): BatchCounts {
    return withWaiting({ ...this.#all(), rows });
  }

  reported(report: PageReport): void {
    this.#told.set(report.page, report);
  }

  /** The page was lost; the run that comes after it tells anew. */
  forget(page: number): void {
    this.#told.delete(page);
  }

  pageEnded({ page, counts, failures }: PageResult): void {
    this.#told.delete(page);
    this.#ended = addCounts(this.#ended, counts);
    this.#failures += failures;
    this.#pagesDone += 1;
  }

  /** All have ended, and these are their counts. */
  closed(counts: BatchCounts): void {
    this.#told.clear();
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
    return [...this.#told.values()].reduce((sum, { counts }) => addCounts(sum, counts), this.#ended);
  }

  /** Rows that ended in this round. */
  #endedHere(): CarriedBatch['forgiven'] {
    const failed = [...this.#told.values()].reduce((sum, { failures }) => sum + failures, this.#failures);
    const { completed, earlier } = this.#all();
    return { ended: failed + completed - earlier, failed };
  }
}
