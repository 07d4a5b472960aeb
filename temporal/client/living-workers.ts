import { partsOfQueue } from '../upload/types';
import { hostOfWorker } from '../worker-identity';
import { given } from '../../api/json';
import type { TemporalConnection } from './connect';
import { askTemporal } from './rpc-failure';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { hostOfSource } from '../../api/upload/sources/source-rules';
import type { BatchInput, Manifest } from '../batch/types';

/** A long poll lasts one minute. The server lists pollers for five minutes. */
const ALIVE_MS = 70_000;

export interface LivingWorker {
  /** The worker's own name. See `workerIdentity`. */
  readonly identity: string;
  readonly lastSeen: Date;
  /** The machine whose files the worker serves. Unset for a worker with another kind of name. */
  readonly host?: string;
}

/**
 * Workers that serve a queue. A worker with full activity slots does not poll for activities, but it always polls for
 * workflow tasks on its account's control queue. So every worker that polled there within the last 70 s is alive. It
 * also serves the account's transfer queue and the queue of its machine. A worker with another kind of name counts for
 * no machine. A worker that died less than 70 s ago still counts.
 */
export function livingWorkers(
  {
    client,
    namespace,
    address,
  }: Pick<TemporalConnection, 'namespace' | 'address'> & {
    readonly client: Pick<TemporalConnection['client'], 'workflowService'>;
  },
  queue: string,
): Promise<LivingWorker[]> {
  const { control, host } = partsOfQueue(queue);
  return askTemporal({ namespace, address }, undefined, async () => {
    // Those for workflow tasks. The server's partitions of a queue forward their pollers to the root, which is asked.
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: control },
    });
    const workers = pollers.map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastSeen: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
      ...given({ host: hostOfWorker(identity ?? '') }),
    }));
    return workers.filter(
      (worker) =>
        Date.now() - worker.lastSeen.getTime() < ALIVE_MS && (host === undefined || worker.host === host),
    );
  });
}

/** The workers that something in Temporal needs before it can continue. */
export interface WorkerNeed {
  readonly queuePrefix: string;
  readonly accountId: string;
  /** Machines on which a worker of the account must run. Empty: any worker of the account is enough. */
  readonly hosts: readonly string[];
}

type Account = Pick<WorkerNeed, 'queuePrefix' | 'accountId'>;

/** The workers that an upload of this source needs. */
export function uploadNeed({
  queuePrefix,
  accountId,
  source,
}: Account & { readonly source: SourceDescriptor }): WorkerNeed {
  return { queuePrefix, accountId, hosts: distinctHosts([hostOfSource(source)]) };
}

/** The workers that a batch needs to read its manifest, write to its folder and read its files. */
export function batchNeed({
  queuePrefix,
  accountId,
  manifest,
  folder,
  options,
}: Account & Pick<BatchInput, 'folder' | 'options'> & { readonly manifest: Manifest<unknown> }): WorkerNeed {
  const ofManifest = 'rows' in manifest ? undefined : hostOfSource(manifest.source);
  const hosts = distinctHosts([hostOfSource(folder), ofManifest, options.sourceHost]);
  return { queuePrefix, accountId, hosts };
}

/** Each machine once. */
export function distinctHosts(hosts: readonly (string | undefined)[]): string[] {
  return [...new Set(hosts.filter((host) => host !== undefined))];
}
