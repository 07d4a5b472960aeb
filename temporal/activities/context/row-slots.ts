import { SameFailures } from '../../batch/same-failures';

/** Rows of batches that this process uploads at once, over all pages and accounts. */
export interface RowSlots {
  /** A page begins here. `batch` names the batch and what its pages share: the round and the number of resumes. */
  openPage(page: { readonly batch: string; readonly slots: number; readonly maxSameFailures: number }): PageSlots;
}

export interface PageSlots {
  /** Waits for a slot, first come, first served. Undefined: the signal aborted. Otherwise call the result at the end. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  /** A row was completed, so more rows of the batch may run at once here. */
  completed(): void;
  /** Equal failures of the batch in this process. */
  readonly failures: SameFailures;
  /** The page has ended. The last page of a batch forgets what they shared. */
  close(): void;
}

/** A batch begins with this number of rows at once, so that a common mistake spoils few rows. */
const FIRST_ROWS = 4;

interface Batch {
  /** The slots of each of its pages here. */
  readonly pages: Map<object, number>;
  readonly failures: SameFailures;
  running: number;
  /** Grows by one with each completed row. */
  proven: number;
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

  function hasSlot({ pages, running: own, proven }: Batch): boolean {
    const slots = [...pages.values()].reduce((sum, one) => sum + one, 0);
    return running < max && own < Math.min(slots, proven);
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

  return {
    openPage({ batch: name, slots, maxSameFailures }) {
      const batch = batches.get(name) ?? {
        pages: new Map<object, number>(),
        failures: new SameFailures(maxSameFailures),
        running: 0,
        proven: FIRST_ROWS,
      };
      batches.set(name, batch);
      const page = {};
      batch.pages.set(page, slots);
      wakeNext();
      return {
        failures: batch.failures,
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
          }),
        completed() {
          batch.proven += 1;
          batch.failures.completed();
          wakeNext();
        },
        close() {
          batch.pages.delete(page);
          if (batch.pages.size === 0) batches.delete(name);
        },
      };
    },
  };
}
