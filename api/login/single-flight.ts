/**
 * All concurrent callers share one run of `work` and its result. A caller whose signal aborts leaves with the signal's
 * reason and does not affect the others. The run itself is aborted only when all callers have left. A caller that comes
 * after the run ended or was aborted starts a new one.
 */
export function createSingleFlight<T>(
  work: (signal: AbortSignal) => Promise<T>,
): (signal?: AbortSignal) => Promise<T> {
  let current: Flight<T> | undefined;

  return async (signal) => {
    signal?.throwIfAborted();
    const flight = current ?? takeOff();
    flight.passengers += 1;
    try {
      return await untilAborted(flight.landing, signal);
    } finally {
      flight.passengers -= 1;
      if (flight.passengers === 0 && current === flight) {
        current = undefined;
        flight.controller.abort(signal?.reason);
      }
    }
  };

  function takeOff(): Flight<T> {
    const controller = new AbortController();
    const landing = work(controller.signal);
    const flight: Flight<T> = { controller, landing, passengers: 0 };
    const clear = (): void => {
      if (current === flight) current = undefined;
    };
    landing.then(clear, clear);
    current = flight;
    return flight;
  }
}

interface Flight<T> {
  readonly controller: AbortController;
  readonly landing: Promise<T>;
  passengers: number;
}

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
export function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
