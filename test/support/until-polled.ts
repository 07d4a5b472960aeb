import type { TemporalConnection } from '../../temporal/client/connect';
import { pollersOf } from '../../temporal/client/living-workers';
import { until } from './until';

/**
 * Resolves once the server has seen a worker (optionally one whose name begins like this) poll each of these queues.
 * The first poll takes a while to arrive.
 */
export async function untilPolled(
  connection: TemporalConnection,
  queues: readonly string[],
  nameStart = '',
): Promise<void> {
  for (const queue of queues) {
    const kinds = /\.(transfer|pages)(@|$)/.test(queue)
      ? (['activity'] as const)
      : (['workflow', 'activity'] as const);
    for (const kind of kinds) await untilAsked(connection, { queue, kind, nameStart });
  }
}

interface Asked {
  readonly queue: string;
  readonly kind: 'workflow' | 'activity';
  readonly nameStart: string;
}

async function untilAsked(
  { client, namespace }: TemporalConnection,
  { queue, kind, nameStart }: Asked,
): Promise<void> {
  await until(
    `a worker "${nameStart}…" polls ${queue} for a ${kind}`,
    () => pollersOf(client.workflowService, { namespace, queue, kind }),
    (pollers) => pollers.some(({ identity }) => identity.startsWith(nameStart)),
  );
}
