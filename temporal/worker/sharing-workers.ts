import type { NativeConnection } from '@temporalio/worker';
import type { Clock } from '../../api/clock';
import { livePollers } from '../client/pollers';

/** A worker that came or went is noticed so late at most; dead ones count for another 70 s. */
const REFRESH_MS = 30_000;

/**
 * How many workers take a queue's activities now, this one included: what divides a batch's bandwidth. Asked of the server once in 30 s; the number
 * before holds where it cannot be had, 1 at first.
 */
export function createSharingWorkers({
  connection,
  namespace,
  clock,
}: {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly clock: Clock;
}): (queue: string) => Promise<number> {
  const known = new Map<string, { readonly count: Promise<number>; readonly until: number }>();
  return (queue) => {
    const before = known.get(queue);
    if (before !== undefined && clock.now() < before.until) return before.count;
    const count = livePollers(connection.workflowService, { namespace, queue }).then(
      (pollers) => Math.max(1, new Set(pollers.map(({ identity }) => identity)).size),
      () => before?.count ?? 1,
    );
    known.set(queue, { count, until: clock.now() + REFRESH_MS });
    return count;
  };
}
