import type { Part } from '../parts/part-plan';
import type { PartScope, UploadControl } from './upload-control';
import type { UploadTracker } from './upload-tracker';
import type { PartResult } from '../upload-steps';

interface PartSending {
  readonly parts: readonly Part[];
  /** Max parts at once. */
  readonly concurrency: number;
  readonly send: (part: Part) => Promise<PartResult>;
  readonly control: UploadControl;
  readonly tracker: UploadTracker;
}

const UNCANCELLABLE: PartScope = { run: (step) => step(), cancel: () => undefined };

/**
 * Sends all parts in order, `concurrency` of them at once; a slow part delays no other. While the gate is closed,
 * running parts finish and none begins. The first failure ends the running parts and prevents new ones. The call
 * rejects once no part runs.
 */
export async function runParts({ parts, concurrency, send, control, tracker }: PartSending): Promise<void> {
  const scope = control.openPartScope?.() ?? UNCANCELLABLE;
  const failed = firstFailure(() => scope.cancel());
  let next = 0;

  async function begin(part: Part): Promise<void> {
    tracker.partBegan(part.partNumber);
    let result: PartResult | undefined;
    try {
      result = await scope.run(() => send(part));
    } finally {
      tracker.partEnded(part.partNumber, result);
    }
  }

  async function work(): Promise<void> {
    for (;;) {
      while (next < parts.length && !failed.happened() && control.gate.paused()) {
        await Promise.race([control.gate.waitUntilOpen(), failed.promise]);
      }
      const part = parts[next];
      if (part === undefined || failed.happened()) return;
      next += 1;
      await begin(part);
    }
  }

  const workers = Array.from({ length: Math.min(concurrency, parts.length) }, () =>
    work().catch(failed.with),
  );
  await Promise.all(workers);
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
