import { HOUR_MS } from '../../../api/clock';
import { Slots } from '../../../api/slots';
import type { StepFailure } from '../../../api/upload/types';
import type { BatchRound } from '../../batch/ids';
import { reasonToPause, SameFailures } from '../../batch/pause-reasons';
import { DEFAULT_BATCH_OPTIONS } from '../../batch/types';
import type { BatchOptions, EndedLine, PageInput, WorkerFailures } from '../../batch/types';

/** A batch begins with this number of rows at once, so that a common mistake spoils few rows. */
const FIRST_ROWS = 4;

/** Slow rows say nothing against a batch: without a failure in this time, twice as many rows may run, ms. */
const WIDEN_MS = 5_000;
/** Within this time, the root has paused a batch, also on a busy server, ms. */
const HOLD_MS = 20_000;

interface Batch {
  /** The slots of each of its pages here. */
  readonly pages: Map<object, number>;
  failures: SameFailures;
  ended: number;
  failed: number;
  /** No row begins before this time, by `performance.now()`. */
  heldUntil: number;
  /** Its rows that run here. */
  readonly rows: Slots;
  /** Rows that may run at once. Grows with each completed row, and slowly without a failure. */
  proven: number;
  widening: NodeJS.Timeout | undefined;
  /** When its last page here ended, by `performance.now()`. Infinity: it has pages. */
  idleSince: number;
}

export interface PageSlots {
  /** Waits for a slot, first come, first served. Undefined: the signal aborted. Otherwise call the result at the end. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  /**
   * A row has ended. After a completed one, more rows of the batch may run at once here. After a failed one, returns
   * whether the rows of the batch in this process show that it should pause: then no row of it begins here for some
   * seconds, in which the root pauses it.
   */
  ended(end: EndedLine): boolean;
  /** What the root must know of rows that failed for the same reason. */
  unreported(): WorkerFailures | undefined;
  /** The page has ended. */
  close(): void;
}

type OpenedPage = BatchRound & Pick<PageInput, 'slots' | 'options' | 'resumes'>;

/** Rows of batches that this process uploads at once, over all pages and accounts. */
export class RowSlots {
  readonly #rows: Slots;
  readonly #batches = new Map<string, Batch>();

  /** `max`: slots of the process. `worker`: its name. */
  constructor(
    private readonly max: number,
    private readonly worker: string,
  ) {
    this.#rows = new Slots(() => max);
  }

  /** A page begins here. Pages of one batch share their slots and failures, until it is paused and resumed. */
  openPage({ accountId, batchId, round, slots, options, resumes }: OpenedPage): PageSlots {
    const name = [accountId, batchId, round, resumes].join('/');
    const now = performance.now();
    // A next page may begin soon, and large rows may fail alike much later.
    for (const [other, { idleSince }] of this.#batches)
      if (now - idleSince > HOUR_MS) this.#batches.delete(other);
    const batch = this.#batches.get(name) ?? newBatch(options);
    if (now - batch.idleSince > HOLD_MS) batch.proven = FIRST_ROWS;
    batch.idleSince = Infinity;
    const page = {};
    this.#batches.set(name, batch);
    batch.pages.set(page, slots);
    batch.rows.recheck();
    return {
      enter: (signal) => this.#enter(batch, signal),
      ended: ({ line: { status }, failure }) => {
        if (status === 'COMPLETED') this.#completed(batch);
        return status === 'FAILED' && failure !== undefined && this.#failed(batch, failure, options);
      },
      unreported: () => {
        const same = batch.failures.unreported();
        return same && { ...same, worker: this.worker, resumes };
      },
      close: () => {
        batch.pages.delete(page);
        if (batch.pages.size > 0) return;
        batch.idleSince = performance.now();
        // The root pauses it, and it begins again after that.
        if (batch.idleSince < batch.heldUntil) this.#batches.delete(name);
      },
    };
  }

  async #enter(batch: Batch, signal: AbortSignal): Promise<(() => void) | undefined> {
    this.#widenLater(batch);
    let leaveBatch: (() => void) | undefined;
    try {
      leaveBatch = await batch.rows.enter(signal);
      const leave = await this.#rows.enter(signal);
      return () => {
        leave();
        leaveBatch?.();
      };
    } catch (error) {
      leaveBatch?.();
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #completed(batch: Batch): void {
    batch.proven += 1;
    batch.ended += 1;
    batch.failures.completed();
    batch.rows.recheck();
  }

  #failed(batch: Batch, failure: StepFailure, options: BatchOptions): boolean {
    batch.ended += 1;
    batch.failed += 1;
    const isReached = batch.failures.failed(failure) || reasonToPause(options, batch) !== undefined;
    if (isReached) this.#hold(batch, options);
    return isReached;
  }

  /** If the root does not pause the batch, it continues, and counts from 0. */
  #hold(batch: Batch, options: BatchOptions): void {
    batch.heldUntil = performance.now() + HOLD_MS;
    setTimeout(() => {
      Object.assign(batch, nothingEnded(options));
      batch.rows.recheck();
    }, HOLD_MS + 1).unref();
  }

  #widenLater(batch: Batch): void {
    const { failed, proven } = batch;
    if (proven >= this.max) return;
    batch.widening ??= setTimeout(() => {
      batch.widening = undefined;
      if (batch.failed === failed) batch.proven *= 2;
      batch.rows.recheck();
      if (batch.pages.size > 0) this.#widenLater(batch);
    }, WIDEN_MS).unref();
  }
}

function newBatch(options: BatchOptions): Batch {
  const batch: Batch = {
    ...nothingEnded(options),
    pages: new Map(),
    heldUntil: 0,
    rows: new Slots(() => slotsNow(batch)),
    proven: FIRST_ROWS,
    widening: undefined,
    idleSince: Infinity,
  };
  return batch;
}

function slotsNow({ pages, proven, heldUntil }: Batch): number {
  if (performance.now() < heldUntil) return 0;
  return Math.min(
    proven,
    [...pages.values()].reduce((sum, one) => sum + one, 0),
  );
}

function nothingEnded(options: BatchOptions): Pick<Batch, 'failures' | 'ended' | 'failed'> {
  const { maxSameFailures } = { ...DEFAULT_BATCH_OPTIONS, ...options };
  return { failures: new SameFailures(maxSameFailures), ended: 0, failed: 0 };
}
