import type { Clock } from '../../api/clock';
import type { LivingWorker, WorkQueue } from '../client/living-workers';

/** A worker that came or went is noticed so late at most; dead ones count for another 70 s. */
const REFRESH_MS = 30_000;

export interface SharingWorkersParts {
  /** Living workers that serve this queue, busy ones included; see `livingWorkers`. */
  readonly workersOf: (queue: WorkQueue) => Promise<readonly Pick<LivingWorker, 'identity'>[]>;
  readonly clock: Clock;
}

/**
 * How many workers take activities of any of these queues now, this one included: what divides the limits that they share. Asked of the server once in 30 s; those
 * known before count if the server does not answer, this one only at first.
 */
export function createSharingWorkers({
  workersOf,
  clock,
}: SharingWorkersParts): (queues: readonly WorkQueue[]) => Promise<number> {
  const known = new Map<string, { readonly workers: Promise<readonly string[]>; readonly until: number }>();
  const identitiesOf = (work: WorkQueue): Promise<readonly string[]> => {
    const before = known.get(work.queue);
    if (before !== undefined && clock.now() < before.until) return before.workers;
    const workers = workersOf(work).then(
      (found) => found.map(({ identity }) => identity),
      () => before?.workers ?? [],
    );
    known.set(work.queue, { workers, until: clock.now() + REFRESH_MS });
    return workers;
  };
  return async (queues) => {
    const all = await Promise.all(queues.map(identitiesOf));
    return Math.max(1, new Set(all.flat()).size);
  };
}
