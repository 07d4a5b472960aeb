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
  const width = runs.length === 1 ? concurrency : Math.ceil(concurrency / 2);
  const running = new Set<Promise<void>>();
  let free = concurrency;
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    if (failure === undefined) scope.cancel();
    failure ??= { error };
  };

  async function begin(run: readonly Part[], atOnce: number): Promise<void> {
    free -= atOnce;
    for (const { partNumber } of run) tracker.partBegan(partNumber);
    let results: readonly PartResult[] = [];
    try {
      results = await scope.run(() => send(run, atOnce));
    } catch (error) {
      fail(error);
    }
    free += atOnce;
    for (const { partNumber } of run) {
      const result = results.find((one) => one.partNumber === partNumber);
      tracker.partEnded(partNumber, result);
    }
  }

  for (const run of runs) {
    while (failure === undefined && (free === 0 || control.gate.paused())) {
      const opened = free === 0 ? [] : [control.gate.waitUntilOpen().catch(fail)];
      await Promise.race([...opened, ...running]);
    }
    if (failure !== undefined) break;
    const one = begin(run, Math.min(run.length, free, width));
    running.add(one);
    void one.then(() => running.delete(one));
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
}
