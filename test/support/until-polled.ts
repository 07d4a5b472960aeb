import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from '../../temporal/client/connect';
import { pollersOf } from '../../temporal/client/pollers';

/** Resolves once the server has seen a worker, or one whose name begins so, ask for work on each of these queues: its first question travels a while. */
export async function untilPolled(
  connection: TemporalConnection,
  queues: readonly string[],
  nameStart = '',
): Promise<void> {
  for (const queue of queues) {
    for (;;) {
      const pollers = await pollersOf(connection, queue);
      if (pollers.some(({ identity }) => identity.startsWith(nameStart))) break;
      await systemClock.sleep(50);
    }
  }
}
