import type { Logger } from '@temporalio/worker';

/** TASK_QUEUE_TYPE_ACTIVITY; the enum itself stands in a package that is not ours to install. */
const ACTIVITY_QUEUE = 2;
/** gRPC: a server before 1.29, or one that was told not to. */
const UNIMPLEMENTED = 12;

export interface QueueLimit {
  readonly namespace: string;
  readonly identity: string;
  readonly queue: string;
  /** Tasks of one fairness key (a batch) begun per second; undefined takes an earlier limit away. */
  readonly perKeyPerSecond: number | undefined;
}

/** What is used of the server; its answer is of no use. */
export interface QueueConfigurer {
  updateTaskQueueConfig(request: {
    readonly namespace: string;
    readonly identity: string;
    readonly taskQueue: string;
    readonly taskQueueType: number;
    readonly updateFairnessKeyRateLimitDefault: {
      readonly reason: string;
      readonly rateLimit?: { readonly requestsPerSecond: number };
    };
  }): Promise<unknown>;
}

/**
 * Tells the server how many tasks of each fairness key of a queue may begin per second. The server keeps that beyond this worker, and heeds it with its new matcher alone. A server that
 * cannot do it, or refuses, is logged, and the queue goes on without that limit.
 */
export async function limitFairnessKeys(
  service: QueueConfigurer,
  limit: QueueLimit,
  logger: Logger,
): Promise<void> {
  const { namespace, identity, queue, perKeyPerSecond } = limit;
  const reason = 'batchPartsPerSecond of the account';
  try {
    await service.updateTaskQueueConfig({
      namespace,
      identity,
      taskQueue: queue,
      taskQueueType: ACTIVITY_QUEUE,
      updateFairnessKeyRateLimitDefault: {
        reason,
        ...(perKeyPerSecond === undefined ? {} : { rateLimit: { requestsPerSecond: perKeyPerSecond } }),
      },
    });
    logger.info('The server was told how many parts of each batch may begin per second', {
      queue,
      perKeyPerSecond,
    });
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === UNIMPLEMENTED;
    const why = missing ? 'this Temporal server has no such limits (1.29 or newer has)' : 'Temporal refused';
    logger.warn(`The parts of each batch are not limited: ${why}`, { queue, error });
  }
}
