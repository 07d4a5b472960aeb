/** How a permit's work ended: `busy` = storage answered 429 or 503. */
export type PermitOutcome = 'ok' | 'busy' | 'failed';

export interface Permit {
  /** Gives the permit back; a second call does nothing. */
  release(outcome: PermitOutcome): void;
}

export interface AimdLimiter {
  /** Resolves with a permit in the order of asking. Rejects with the signal's reason when it aborts. */
  acquire(signal?: AbortSignal, hooks?: { onWaiting?(): void }): Promise<Permit>;
  /** Most permits at once, as it is now. */
  limit(): number;
}

export interface AimdOptions {
  /** Where the limit starts and ends, a whole number of 1 or more. Default 16. */
  readonly max?: number;
}

const DEFAULT_MAX = 16;

/**
 * Lets as many run at once as the other side bears: half as many after each `busy`, one more for each round of `ok`s, never fewer than 1.
 * What was begun before the last decrease decreases nothing, so that one burst of 503s halves once.
 */
export function createAimdLimiter({ max = DEFAULT_MAX }: AimdOptions = {}): AimdLimiter {
  const waiting: Waiter[] = [];
  let limit = max;
  let running = 0;
  let epoch = 0;

  function grant(): void {
    while (running < Math.floor(limit)) {
      const waiter = waiting.shift();
      if (waiter === undefined) return;
      waiter.resolve(take());
    }
  }

  function take(): Permit {
    running += 1;
    const begunIn = epoch;
    let held = true;
    return {
      release(outcome) {
        if (!held) return;
        held = false;
        running -= 1;
        adapt(outcome, begunIn);
        grant();
      },
    };
  }

  function adapt(outcome: PermitOutcome, begunIn: number): void {
    if (outcome === 'ok') limit = Math.min(max, limit + 1 / limit);
    if (outcome !== 'busy' || begunIn !== epoch) return;
    limit = Math.max(1, limit / 2);
    epoch += 1;
  }

  return {
    limit: () => Math.floor(limit),
    async acquire(signal, hooks) {
      signal?.throwIfAborted();
      if (waiting.length === 0 && running < Math.floor(limit)) return take();
      hooks?.onWaiting?.();
      return enqueue(waiting, signal);
    },
  };
}

interface Waiter {
  readonly resolve: (permit: Permit) => void;
}

function enqueue(waiting: Waiter[], signal: AbortSignal | undefined): Promise<Permit> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      resolve(permit) {
        signal?.removeEventListener('abort', leave);
        resolve(permit);
      },
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(waiter);
  });
}

/** One limiter for each storage origin. */
export interface AimdLimiters {
  of(url: string): AimdLimiter;
  /** The limit of each origin, as it is now. */
  limits(): ReadonlyMap<string, number>;
}

/** Keep one of these per process. */
export function createAimdLimiters(options: AimdOptions = {}): AimdLimiters {
  const byOrigin = new Map<string, AimdLimiter>();
  return {
    of(url) {
      const { origin } = new URL(url);
      const limiter = byOrigin.get(origin) ?? createAimdLimiter(options);
      byOrigin.set(origin, limiter);
      return limiter;
    },
    limits: () => new Map([...byOrigin].map(([origin, limiter]) => [origin, limiter.limit()])),
  };
}
