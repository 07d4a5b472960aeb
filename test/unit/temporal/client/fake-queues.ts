import type { TemporalConnection } from '../../../../temporal/client/connect';

/** Who polled a queue, and how many seconds ago. */
export interface Polled {
  readonly queue: string;
  /** Default: for workflow tasks. */
  readonly kind?: 'workflow' | 'activity';
  readonly identity: string;
  readonly secondsAgo?: number;
}

const TYPES = { workflow: 1, activity: 2 } as const;

interface Asked {
  readonly taskQueue: { readonly name: string };
  /** Default: workflow tasks. */
  readonly taskQueueType?: number;
}

/** A connection to a server that reports these polls. */
export function fakeQueues(polls: readonly Polled[]): TemporalConnection {
  const workflowService = {
    describeTaskQueue({ taskQueue, taskQueueType = TYPES.workflow }: Asked) {
      const fitting = polls.filter(
        ({ queue, kind = 'workflow' }) => queue === taskQueue.name && TYPES[kind] === taskQueueType,
      );
      const pollers = fitting.map(({ identity, secondsAgo = 0 }) => ({
        identity,
        lastAccessTime: { seconds: Math.floor(Date.now() / 1000) - secondsAgo },
      }));
      return Promise.resolve({ pollers });
    },
  };
  return { client: { workflowService }, namespace: 'default', address: '127.0.0.1:1' } as never;
}
