import type { QueueReader } from '../../../../temporal/client/living-workers';
import type { TemporalConnection } from '../../../../temporal/client/connect';

/** Who polled a partition of a queue, and how many seconds ago. `partition` 0 is the root. */
export interface Polled {
  readonly queue: string;
  readonly kind: 'workflow' | 'activity';
  readonly identity: string;
  readonly secondsAgo?: number;
  readonly partition?: number;
}

const TYPES = { workflow: 1, activity: 2 } as const;
const nameOf = (queue: string, partition = 0): string =>
  partition === 0 ? queue : `/_sys/${queue}/${partition}`;

/**
 * What a server with this number of partitions reports for these polls; 0: it lists no partitions. `asked` counts the
 * requests.
 */
export function fakeQueues(
  polls: readonly Polled[],
  partitions = 1,
): { readonly reader: QueueReader; readonly connection: TemporalConnection; asked(): number } {
  let asked = 0;
  const reader: QueueReader = {
    describeTaskQueue({ taskQueue: { name }, taskQueueType }) {
      asked += 1;
      const fitting = polls.filter(
        ({ queue, kind, partition }) => nameOf(queue, partition) === name && TYPES[kind] === taskQueueType,
      );
      const pollers = fitting.map(({ identity, secondsAgo = 0 }) => ({
        identity,
        lastAccessTime: { seconds: Math.floor(Date.now() / 1000) - secondsAgo },
      }));
      return Promise.resolve({ pollers } as never);
    },
    listTaskQueuePartitions({ taskQueue: { name } }) {
      if (partitions === 0) return Promise.reject(new Error('unknown method'));
      const keys = Array.from({ length: partitions }, (_, partition) => ({ key: nameOf(name, partition) }));
      return Promise.resolve({
        workflowTaskQueuePartitions: keys,
        activityTaskQueuePartitions: keys,
      } as never);
    },
  };
  const connection = { client: { workflowService: reader }, namespace: 'default', address: '127.0.0.1:1' };
  return { reader, connection: connection as never, asked: () => asked };
}
