import { MediaServiceError } from '../../api/errors';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { controlQueue, sourceQueue } from '../contract';
import type { TemporalConnection } from './connect';
import { errorOfRpc } from './rpc-failure';

/** A long poll lasts a minute; the server lists dead pollers for five. */
const ALIVE_MS = 70_000;
/** TASK_QUEUE_TYPE_ACTIVITY; the enum itself stands in a package that is not ours to install. */
const ACTIVITY_QUEUE = 2;

interface QueueReader {
  describeTaskQueue(request: {
    readonly namespace: string;
    readonly taskQueue: { readonly name: string };
    readonly taskQueueType: number;
  }): ReturnType<TemporalConnection['client']['workflowService']['describeTaskQueue']>;
}

export interface Poller {
  /** As the worker calls itself: of ours pid@host/ and a random end. */
  readonly identity: string;
  readonly lastSeen: Date;
}

/** Workers that asked this queue for activities within the last 70 s; a worker that died less than 70 s ago still counts. */
export async function pollersOf(connection: TemporalConnection, queue: string): Promise<Poller[]> {
  const { client, namespace } = connection;
  return livePollers(client.workflowService, { namespace, queue }).catch((error: unknown) => {
    throw errorOfRpc(connection, undefined, error);
  });
}

/** The same over any connection; rejects with the server's own error. */
export async function livePollers(
  service: QueueReader,
  { namespace, queue }: { readonly namespace: string; readonly queue: string },
): Promise<Poller[]> {
  const answer = await service.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: ACTIVITY_QUEUE,
  });
  const pollers = answer.pollers.map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    lastSeen: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
  }));
  return pollers.filter(({ lastSeen }) => Date.now() - lastSeen.getTime() < ALIVE_MS);
}

export interface WorkerNeed {
  readonly queuePrefix: string;
  readonly accountId: string;
  readonly source: SourceDescriptor;
}

/**
 * Resolves if a worker serves the account and can read the source; rejects with `NoWorker`, which names the queue that nobody
 * polls and what to do, otherwise.
 */
export async function requireWorker(connection: TemporalConnection, need: WorkerNeed): Promise<void> {
  const { queuePrefix, accountId, source } = need;
  const control = controlQueue(queuePrefix, accountId);
  const transfer = sourceQueue(queuePrefix, accountId, source);
  const [controllers, carriers] = await Promise.all([
    pollersOf(connection, control),
    pollersOf(connection, transfer),
  ]);
  const host = source.kind === 'path' ? source.host : undefined;
  if (controllers.length === 0) {
    throw noWorker(control, host === undefined ? START_ONE : `${START_ONE} ${hostRemedies(host)}`);
  }
  if (carriers.length === 0) throw noWorker(transfer, host === undefined ? START_ONE : hostRemedies(host));
}

const START_ONE =
  'Start `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';

function hostRemedies(host: string): string {
  return (
    `The file lies on ${host}: start a worker there (MEDIA_SERVICE_HOST names a machine), ` +
    'or pass --shared-path (in n8n: leave the host field empty) if every worker mounts the file at this path.'
  );
}

/** The error of "nobody polls this queue". */
export function noWorker(queue: string, hint: string = START_ONE): MediaServiceError {
  return new MediaServiceError('NoWorker', `No worker polls the task queue ${queue}.`, {
    hint,
    details: { taskQueue: queue },
  });
}
