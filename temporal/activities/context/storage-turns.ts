import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';

/** Most parts begun per second by storage host, as URLs name it (with its port, unless that is the scheme's own); `*`: each host that is not named. */
export type StorageLimits = Readonly<Record<string, number>>;

/** Lets parts to a storage host begin so often, over all workers that share the limit. */
export interface StorageTurns {
  /**
   * Resolves when the part may begin, at once where its host has no limit. Rejects with `WorkerBusy` where that would take long, so that the part waits without
   * a slot, and with the signal's reason when it aborts.
   */
  take(part: PartToBegin, signal: AbortSignal): Promise<void>;
}

export interface PartToBegin {
  readonly url: string;
  readonly partNumber: number;
}

export interface StorageTurnParts {
  readonly limits: StorageLimits;
  readonly clock: Clock;
  /** Workers that share the limits, this one included. */
  readonly workers: () => Promise<number>;
}

const LONGEST_WAIT_MS = 15_000;

/**
 * This worker's share of each limit, evenly spaced: nothing is saved up, so that over any span all workers together begin at most the limit × the span, and one part
 * more each.
 */
export function createStorageTurns({ limits, clock, workers }: StorageTurnParts): StorageTurns {
  const perSecond = new Map(Object.entries(limits));
  /** Epoch ms of the next turn, by host. */
  const next = new Map<string, number>();
  return {
    async take({ url, partNumber }, signal) {
      const { host } = new URL(url);
      const limit = perSecond.get(host) ?? perSecond.get('*');
      if (limit === undefined) return;
      const gapMs = (1000 * (await workers())) / limit;
      signal.throwIfAborted();
      const now = clock.now();
      const turn = Math.max(next.get(host) ?? now, now);
      if (turn - now > LONGEST_WAIT_MS) throw noTurn(partNumber, host, turn - now - LONGEST_WAIT_MS);
      next.set(host, turn + gapMs);
      if (turn > now) await clock.sleep(Math.ceil(turn - now), signal);
    },
  };
}

function noTurn(partNumber: number, host: string, retryAfterMs: number): MediaServiceError {
  return new MediaServiceError(
    'WorkerBusy',
    `part ${String(partNumber)}: not begun, since so many parts wait for their turn at ${host}`,
    {
      operation: `part ${String(partNumber)}`,
      outcome: 'unsent',
      retryAfterMs: Math.ceil(retryAfterMs),
      details: { partNumber },
      hint: 'It is tried again by itself; raise the limit of this storage host, or use fewer parts at once.',
    },
  );
}
