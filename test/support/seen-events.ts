import type { EventName } from '../../simulator/control/recorder';
import type { Simulator } from '../../simulator/start-simulator';

interface Seen {
  readonly event: EventName;
  readonly count: number;
  /** Only later events count. Default 0: all of them. */
  readonly afterSeq?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves once the simulator saw so many events of a kind, including past ones, and before it takes another request.
 * Rejects with the signal's reason.
 */
export async function seenEvents(
  simulator: Simulator,
  { event, count, afterSeq = 0, signal }: Seen,
): Promise<void> {
  let found = 0;
  if (count > 0)
    await simulator.waitFor(
      (one) => one.event === event && one.seq > afterSeq && (found += 1) >= count,
      signal,
    );
}
