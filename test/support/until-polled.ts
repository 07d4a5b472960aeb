import type { TemporalConnection } from '../../temporal/client/connect';
import { until } from './until';

interface Asked {
  readonly queue: string;
  readonly kind: 'workflow' | 'activity';
}

/**
 * Resolves once the server has seen a worker (optionally one whose name begins like this) poll each of these queues.
 * The first poll takes a while to arrive.
 */
export async function untilPolled(
  connection: TemporalConnection,
  queues: readonly string[],
  nameStart = '',
): Promise<void> {
  const asked = queues.flatMap((queue): Asked[] => [
    ...(/\.(transfer|pages)(@|$)/.test(queue) ? [] : [{ queue, kind: 'workflow' } as const]),
    { queue, kind: 'activity' },
  ]);
  for (const one of asked)
    await until(
      `a worker "${nameStart}…" polls ${one.queue} for a ${one.kind}`,
      () => pollersOf(connection, one),
      (pollers) => pollers.some((identity) => identity.startsWith(nameStart)),
    );
}

/** A server's enums are numbers here. */
export interface QueueReader {
  describeTaskQueue(request: {
    readonly namespace: string;
    readonly taskQueue: { readonly name: string };
    readonly taskQueueType: number;
  }): Promise<{ readonly pollers: readonly Poller[] }>;
}

interface Poller {
  readonly identity?: string | null;
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

/** Kinds of tasks: their numbers in the server. */
const KINDS = { workflow: 1, activity: 2 } as const;

/** The names of those who have polled a queue for such tasks in the last minutes. */
export async function pollersOf(
  { client, namespace }: TemporalConnection,
  { queue, kind }: Asked,
): Promise<string[]> {
  const service: QueueReader = client.workflowService;
  const { pollers } = await service.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: KINDS[kind],
  });
  return pollers.map(({ identity }) => identity ?? '');
}
