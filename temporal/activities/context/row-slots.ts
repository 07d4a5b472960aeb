import type { StepFailure } from '../../../api/upload/upload-steps';
import { reasonToPause } from '../../batch/failure-limits';
import { SameFailures } from '../../batch/same-failures';
import { DEFAULT_BATCH_OPTIONS, type BatchOptions } from '../../contract/batch';

/** Rows of batches that this process uploads at once, over all pages and accounts. */
export interface RowSlots {
  /** A page begins here. `batch` names the batch and what its pages share: the round and the number of resumes. */
  openPage(page: {
    readonly batch: string;
    readonly slots: number;
    readonly options: BatchOptions;
  }): PageSlots;
}

export interface PageSlots {
  /** Waits for a slot, first come, first served. Undefined: the signal aborted. Otherwise call the result at the end. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** A row was completed, so more rows of the batch may run at once here. */
  completed(): void;
  /**
   * A row failed. Returns why the batch should pause, if the rows of the batch in this process show it: then no row of
   * it begins here for some seconds, in which the root pauses it. `because`: a reason that the root can't know.
   */
  failed(failure: StepFailure): { readonly because?: string } | undefined;
  /** The page has ended. The last page of a batch forgets what they shared. */
  close(): void;
}

/** A batch begins with this number of rows at once, so that a common mistake spoils few rows. */
const FIRST_ROWS = 4;

/** Slow rows say nothing against a batch: without a failure in this time, twice as many rows may run, ms. */
const WIDEN_MS = 5_000;
/** Within this time, the root has paused a batch, ms. */
const HOLD_MS = 10_000;

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
}

interface Waiter {
  readonly batch: Batch;
  readonly wake: () => void;
}

/** `max`: slots of the process. */
export function createRowSlots(max: number): RowSlots {
  const batches = new Map<string, Batch>();
  const waiters = new Set<Waiter>();
  let running = 0;

  function hasSlot({ pages, running: own, proven, heldUntil }: Batch): boolean {
    const slots = [...pages.values()].reduce((sum, one) => sum + one, 0);
    return running < max && own < Math.min(slots, proven) && performance.now() >= heldUntil;
  }
  function take(batch: Batch): () => void {
    batch.running += 1;
    running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      batch.running -= 1;
      running -= 1;
      wakeNext();
    };
  }
  function wakeNext(): void {
    for (const waiter of waiters) {
      if (!hasSlot(waiter.batch)) continue;
      waiters.delete(waiter);
      waiter.wake();
    }
  }

  function widenLater(batch: Batch): void {
    const { failed, proven } = batch;
    if (proven >= max) return;
    batch.widening ??= setTimeout(() => {
      batch.widening = undefined;
      if (batch.failed === failed) batch.proven *= 2;
      wakeNext();
      if ([...waiters].some((waiter) => waiter.batch === batch)) widenLater(batch);
    }, WIDEN_MS).unref();
  }
  /** If the root does not pause the batch, it continues, and counts from 0. */
  function hold(batch: Batch, maxSameFailures: number): void {
    batch.heldUntil = performance.now() + HOLD_MS;
    setTimeout(() => {
      Object.assign(batch, { failures: new SameFailures(maxSameFailures), ended: 0, failed: 0 });
      wakeNext();
    }, HOLD_MS + 1).unref();
  }

  return {
    openPage({ batch: name, slots, options }) {
      const { maxSameFailures } = { ...DEFAULT_BATCH_OPTIONS, ...options };
      const batch = batches.get(name) ?? {
        pages: new Map<object, number>(),
        failures: new SameFailures(maxSameFailures),
        ended: 0,
        failed: 0,
        heldUntil: 0,
        running: 0,
        proven: FIRST_ROWS,
        widening: undefined,
      };
      batches.set(name, batch);
      const page = {};
      batch.pages.set(page, slots);
      wakeNext();
      return {
        enter: (signal) =>
          new Promise((resolve) => {
            if (signal.aborted) return resolve(undefined);
            const waiter: Waiter = {
              batch,
              wake: () => {
                signal.removeEventListener('abort', onAbort);
                resolve(take(batch));
              },
            };
            const onAbort = (): void => {
              waiters.delete(waiter);
              resolve(undefined);
            };
            signal.addEventListener('abort', onAbort, { once: true });
            waiters.add(waiter);
            wakeNext();
            if (waiters.has(waiter)) widenLater(batch);
          }),
        completed() {
          batch.proven += 1;
          batch.ended += 1;
          batch.failures.completed();
          wakeNext();
        },
        failed(failure) {
          batch.ended += 1;
          batch.failed += 1;
          const because = batch.failures.failed(failure);
          if (because === undefined && reasonToPause(options, batch) === undefined) return undefined;
          hold(batch, maxSameFailures);
          return because === undefined ? {} : { because };
        },
        close() {
          batch.pages.delete(page);
          if (batch.pages.size === 0) batches.delete(name);
        },
      };
    },
  };
}
