import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { controlQueue, hostQueue, transferQueue } from '../../contract';
import type { BatchInput } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { noWorker, pollersOf } from '../pollers';

/** Which machines a batch needs besides the account's workers. */
export type BatchNeed = Pick<BatchInput, 'queuePrefix' | 'manifest' | 'folder' | 'options'> & {
  readonly accountId: string;
};

/**
 * Resolves if workers serve the account, can read the manifest, write the folder and read the sources; rejects with `NoWorker`, which
 * names the first queue that nobody polls and what to do, otherwise.
 */
export async function requireBatchWorkers(connection: TemporalConnection, need: BatchNeed): Promise<void> {
  const { queuePrefix: prefix, accountId, options } = need;
  const queues = new Map([[controlQueue(prefix, accountId), START_ONE]]);
  const onHost = (host: string, hint: string): unknown =>
    queues.set(hostQueue(prefix, accountId, host), hint);
  const manifestHost = 'rows' in need.manifest ? undefined : hostOf(need.manifest.source);
  if (need.folder.kind === 'path' && need.folder.host !== undefined) {
    onHost(need.folder.host, remedies('folder of the batch lies', need.folder.host));
  }
  if (manifestHost !== undefined) onHost(manifestHost, remedies('manifest lies', manifestHost));
  if (options.sourceHost === undefined) queues.set(transferQueue(prefix, accountId), START_ONE);
  else onHost(options.sourceHost, remedies('files lie', options.sourceHost));
  const polled = await Promise.all(
    [...queues].map(async ([queue, hint]) => ({ queue, hint, pollers: await pollersOf(connection, queue) })),
  );
  const idle = polled.find(({ pollers }) => pollers.length === 0);
  if (idle !== undefined) throw noWorker(idle.queue, idle.hint);
}

function hostOf(source: SourceDescriptor): string | undefined {
  return source.kind === 'path' ? source.host : undefined;
}

const START_ONE =
  'Start `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.';

function remedies(what: string, host: string): string {
  return (
    `The ${what} on ${host}: start \`media-service worker\` there (MEDIA_SERVICE_HOST names a machine), ` +
    'or pass --shared-path (in n8n: leave the host field empty) if every worker mounts it at this path.'
  );
}
