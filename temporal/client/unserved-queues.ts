import { MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import { controlQueue, partsOfQueue, transferQueue } from '../upload/types';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import type { WorkerNeed } from './living-workers';

/** A queue that no living worker serves. */
export interface UnservedQueue {
  readonly queue: string;
  /** Set: only a worker on this machine serves it. */
  readonly host?: string;
}

/**
 * The queues in `need` that no living worker serves. Empty: all are served. A worker serves the control queue of its
 * account and the queue of its machine. So the control queue is named only if no machine lacks a worker.
 */
export async function unservedQueues(
  connection: TemporalConnection,
  { queuePrefix, accountId, hosts }: WorkerNeed,
): Promise<UnservedQueue[]> {
  const missing = async (queues: readonly string[]): Promise<UnservedQueue[]> => {
    const found = await Promise.all(queues.map((queue) => unserved(connection, queue)));
    return found.filter((one) => one !== undefined);
  };
  const onHosts = await missing(hosts.map((host) => transferQueue(queuePrefix, accountId, host)));
  return onHosts.length > 0 ? onHosts : missing([controlQueue(queuePrefix, accountId)]);
}

/** The queue if no living worker serves it. */
export async function unserved(
  connection: TemporalConnection,
  queue: string,
): Promise<UnservedQueue | undefined> {
  const workers = await livingWorkers(connection, queue);
  return workers.length > 0 ? undefined : { queue, ...given({ host: partsOfQueue(queue).host }) };
}

/** The error of "no worker serves this queue". */
export function noWorker({ queue, host }: UnservedQueue): MediaServiceError {
  return new MediaServiceError('NoWorker', `No worker serves the task queue ${queue}.`, {
    hint: runWorker(host),
    details: { taskQueue: queue },
  });
}

function runWorker(host: string | undefined): string {
  return host === undefined
    ? 'Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.'
    : `Run \`media-service worker\` on ${host}.`;
}

/**
 * The warning that something was started but waits, because no worker serves one of its queues. `starts`: the start of
 * the hint, as `The upload starts`.
 */
export function startedWithoutWorker(
  { queue, host }: UnservedQueue,
  starts: string,
): { readonly message: string; readonly hint: string } {
  return {
    message: `No worker serves the task queue ${queue} yet`,
    hint: `${starts} when a worker does. ${runWorker(host)}`,
  };
}
