import type { Part } from '../parts/part-plan';
import type { PartScope, UploadControl, UploadTracker } from './upload-tracker';
import type { PartResult } from '../upload-steps';

interface PartSending {
  /** Parts that are sent by one call. */
  readonly runs: readonly (readonly Part[])[];
  /** Max parts at once. */
  readonly concurrency: number;
  /** Sends a run, at most `atOnce` of its parts at the same time. */
  readonly send: (run: readonly Part[], atOnce: number) => Promise<readonly PartResult[]>;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

const UNCANCELLABLE: PartScope = { run: (step) => step(), cancel: () => undefined };

/**
 * Sends all runs in order, together at most `concurrency` parts at once; a slow run delays no other. One of several
 * runs takes at most half of them, so that the next one begins before it ends. While the gate is closed, running ones
 * finish and none begins. The first failure ends the running ones and prevents new ones. The call rejects once none
 * runs.
 */
export async function runParts({ runs, concurrency, send, control, tracker }: PartSending): Promise<void> {
  const scope = control.openPartScope?.() ?? UNCANCELLABLE;
  const failed = firstFailure(() => scope.cancel());
  const width = runs.length === 1 ? concurrency : Math.ceil(concurrency / 2);
  const running = new Set<Promise<void>>();
  let free = concurrency;

  async function begin(run: readonly Part[], atOnce: number): Promise<void> {
    free -= atOnce;
    for (const { partNumber } of run) tracker.partBegan(partNumber);
    let results: readonly PartResult[] = [];
    try {
      results = await scope.run(() => send(run, atOnce));
    } catch (error) {
      failed.with(error);
    } finally {
      free += atOnce;
      for (const { partNumber } of run) {
        tracker.partEnded(
          partNumber,
          results.find((result) => result.partNumber === partNumber),
        );
      }
    }
  }

  for (const run of runs) {
    while (!failed.happened() && (free === 0 || control.gate.paused())) {
      const next = free === 0 ? Promise.race(running) : control.gate.waitUntilOpen();
      await Promise.race([next.catch(failed.with), failed.promise]);
    }
    if (failed.happened()) break;
    const one = begin(run, Math.min(run.length, free, width));
    running.add(one);
    void one.then(() => running.delete(one));
  }
  await Promise.all(running);
  failed.rethrow();
}

interface FirstFailure {
  /** Resolves at the failure; stays pending without one. */
  readonly promise: Promise<void>;
  readonly happened: () => boolean;
  readonly with: (error: unknown) => void;
  rethrow(): void;
}

function firstFailure(onFailure: () => void): FirstFailure {
  let first: { readonly error: unknown } | undefined;
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return {
    promise,
    happened: () => first !== undefined,
    with: (error) => {
      if (first !== undefined) return;
      first = { error };
      resolve();
      onFailure();
    },
    rethrow() {
      if (first !== undefined) throw first.error;
    },
  };
}
