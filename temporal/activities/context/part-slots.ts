/** Slots for the parts that a worker sends at once, for each transfer queue. Groups of parts share them. */
export interface PartSlots {
  /**
   * Waits for a slot, first come, first served. Resolves with a function that frees the slot. Rejects with the
   * signal's reason.
   */
  enter(queue: string, signal: AbortSignal): Promise<() => void>;
}

interface Queue {
  taken: number;
  readonly waiting: Set<() => void>;
}

export function createPartSlots(slotsOf: (queue: string) => number): PartSlots {
  const queues = new Map<string, Queue>();

  function leave(queue: Queue): void {
    queue.taken -= 1;
    const [next] = queue.waiting;
    next?.();
  }

  return {
    async enter(name, signal) {
      signal.throwIfAborted();
      const queue = queues.get(name) ?? { taken: 0, waiting: new Set() };
      queues.set(name, queue);
      if (queue.taken >= slotsOf(name)) await turnIn(queue, signal);
      else queue.taken += 1;
      let left = false;
      return () => {
        if (!left) leave(queue);
        left = true;
      };
    },
  };
}

/** A waiter that is woken already owns the slot, so nobody else can take it before. */
function turnIn(queue: Queue, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      queue.waiting.delete(wake);
      signal.removeEventListener('abort', onAbort);
      queue.taken += 1;
      resolve();
    };
    const onAbort = (): void => {
      queue.waiting.delete(wake);
      reject(signal.reason);
    };
    queue.waiting.add(wake);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
