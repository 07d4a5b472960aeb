import type { QueueReader } from '../../../../temporal/client/living-workers';
import type { TemporalConnection } from '../../../../temporal/client/connect';

/** Who polled a queue, and how many seconds ago. */
export interface Polled {
  readonly queue: string;
  readonly kind: 'workflow' | 'activity';
  readonly identity: string;
  readonly secondsAgo?: number;
}

const TYPES = { workflow: 1, activity: 2 } as const;

/** What a server reports for these polls. `asked` counts the requests. */
export function fakeQueues(polls: readonly Polled[]): {
  readonly reader: QueueReader;
  readonly connection: TemporalConnection;
  asked(): number;
} {
  let asked = 0;
  const reader: QueueReader = {
    describeTaskQueue({ taskQueue, taskQueueType }) {
      asked += 1;
      const fitting = polls.filter(
        ({ queue, kind }) => queue === taskQueue.name && TYPES[kind] === taskQueueType,
      );
      const pollers = fitting.map(({ identity, secondsAgo = 0 }) => ({
        identity,
        lastAccessTime: { seconds: Math.floor(Date.now() / 1000) - secondsAgo },
      }));
      return Promise.resolve({ pollers } as never);
    },
  };
  const connection = { client: { workflowService: reader }, namespace: 'default', address: '127.0.0.1:1' };
  return { reader, connection: connection as never, asked: () => asked };
}
