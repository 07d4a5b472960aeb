import type { Clock } from '../../api/clock';
import type { LivingWorker, WorkQueue } from '../client/living-workers';

/** Maximum delay until a new or stopped worker is noticed. Dead workers count for another 70 s. */
const REFRESH_MS = 30_000;

interface SharingWorkersParts {
  /** Living workers that serve this queue, including busy ones. See `livingWorkers`. */
  readonly workersOf: (queue: WorkQueue) => Promise<readonly Pick<LivingWorker, 'identity'>[]>;
  readonly clock: Clock;
}

/**
 * The number of workers that take activities of any of these queues, this one included. Shared limits are divided by
 * it. Asks the server once in 30 s. If the server does not answer, returns the last number, or 1 at first.
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
