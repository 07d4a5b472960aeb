import type { Clock } from '../../api/clock';
import type { Poller } from '../client/pollers';

/** A worker that came or went is noticed so late at most; dead ones count for another 70 s. */
const REFRESH_MS = 30_000;

export interface SharingWorkersParts {
  /** Workers that ask this queue for activities now. */
  readonly pollersOf: (queue: string) => Promise<readonly Pick<Poller, 'identity'>[]>;
  readonly clock: Clock;
}

/**
 * How many workers take activities of any of these queues now, this one included: what divides the limits that they share. Asked of the server once in 30 s; those
 * known before hold where it cannot be had, this one alone at first.
 */
export function createSharingWorkers({
  pollersOf,
  clock,
}: SharingWorkersParts): (queues: readonly string[]) => Promise<number> {
  const known = new Map<string, { readonly workers: Promise<readonly string[]>; readonly until: number }>();
  const workersOf = (queue: string): Promise<readonly string[]> => {
    const before = known.get(queue);
    if (before !== undefined && clock.now() < before.until) return before.workers;
    const workers = pollersOf(queue).then(
      (pollers) => pollers.map(({ identity }) => identity),
      () => before?.workers ?? [],
    );
    known.set(queue, { workers, until: clock.now() + REFRESH_MS });
    return workers;
  };
  return async (queues) => {
    const all = await Promise.all(queues.map(workersOf));
    return Math.max(1, new Set(all.flat()).size);
  };
}
