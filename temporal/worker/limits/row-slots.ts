import { HOUR_MS } from '../../../api/clock';
import type { StepFailure } from '../../../api/upload/types';
import { reasonToPause, SameFailures } from '../../batch/pause-reasons';
import { DEFAULT_BATCH_OPTIONS } from '../../batch/types';
import type { BatchOptions, EndedLine } from '../../batch/types';

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
  /** No row begins before, by `performance.now()`. */
  heldUntil: number;
  running: number;
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
   * why the batch should pause, if the rows of the batch in this process show it: then no row of it begins here for
   * some seconds, in which the root pauses it. `because`: a reason that the root can't know.
   */
  ended(end: EndedLine): { readonly because?: string } | undefined;
  /** The page has ended. */
  close(): void;
}

interface Waiter {
  readonly batch: Batch;
  readonly wake: () => void;
}

interface OpenedPage {
  /** Names the batch and its round. */
  readonly batch: string;
  /** Rows that the page may upload at once. */
  readonly slots: number;
  readonly options: BatchOptions;
}

/** Rows of batches that this process uploads at once, over all pages and accounts. */
export class RowSlots {
  readonly #max: number;
  readonly #batches = new Map<string, Batch>();
  readonly #waiters = new Set<Waiter>();
  #running = 0;

  /** `max`: slots of the process. */
  constructor(max: number) {
    this.#max = max;
  }

  /** A page begins here. Pages of one batch share their slots and failures. */
  openPage({ batch: name, slots, options }: OpenedPage): PageSlots {
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
    this.#wakeNext();
    return {
      enter: (signal) => this.#enter(batch, signal),
      ended: ({ line: { status }, failure }) => {
        if (status === 'COMPLETED') this.#completed(batch);
        return status === 'FAILED' && failure ? this.#failed(batch, failure, options) : undefined;
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

  #enter(batch: Batch, signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve(undefined);
        return;
      }
      const waiter: Waiter = {
        batch,
        wake: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#take(batch));
        },
      };
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        resolve(undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
      this.#wakeNext();
      if (this.#waiters.has(waiter)) this.#widenLater(batch);
    });
  }

  #completed(batch: Batch): void {
    batch.proven += 1;
    batch.ended += 1;
    batch.failures.completed();
    this.#wakeNext();
  }

  #failed(
    batch: Batch,
    failure: StepFailure,
    options: BatchOptions,
  ): { readonly because?: string } | undefined {
    batch.ended += 1;
    batch.failed += 1;
    const because = batch.failures.failed(failure);
    if (because === undefined && reasonToPause(options, batch) === undefined) return undefined;
    this.#hold(batch, options);
    return because === undefined ? {} : { because };
  }

  /** If the root does not pause the batch, it continues, and counts from 0. */
  #hold(batch: Batch, options: BatchOptions): void {
    batch.heldUntil = performance.now() + HOLD_MS;
    setTimeout(() => {
      Object.assign(batch, nothingEnded(options));
      this.#wakeNext();
    }, HOLD_MS + 1).unref();
  }

  #widenLater(batch: Batch): void {
    const { failed, proven } = batch;
    if (proven >= this.#max) return;
    batch.widening ??= setTimeout(() => {
      batch.widening = undefined;
      if (batch.failed === failed) batch.proven *= 2;
      this.#wakeNext();
      if ([...this.#waiters].some((waiter) => waiter.batch === batch)) this.#widenLater(batch);
    }, WIDEN_MS).unref();
  }

  #hasSlot({ pages, running, proven, heldUntil }: Batch): boolean {
    const slots = [...pages.values()].reduce((sum, one) => sum + one, 0);
    const isFree = this.#running < this.#max && running < Math.min(slots, proven);
    return isFree && performance.now() >= heldUntil;
  }

  #take(batch: Batch): () => void {
    batch.running += 1;
    this.#running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      batch.running -= 1;
      this.#running -= 1;
      this.#wakeNext();
    };
  }

  #wakeNext(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasSlot(waiter.batch)) continue;
      this.#waiters.delete(waiter);
      waiter.wake();
    }
  }
}

function newBatch(options: BatchOptions): Batch {
  return {
    ...nothingEnded(options),
    pages: new Map(),
    heldUntil: 0,
    running: 0,
    proven: FIRST_ROWS,
    widening: undefined,
    idleSince: Infinity,
  };
}

function nothingEnded(options: BatchOptions): Pick<Batch, 'failures' | 'ended' | 'failed'> {
  const { maxSameFailures } = { ...DEFAULT_BATCH_OPTIONS, ...options };
  return { failures: new SameFailures(maxSameFailures), ended: 0, failed: 0 };
}
