import { hostOfQueue } from '../upload/types';
import { hostOfWorker } from '../worker-identity';
import { given } from '../../api/json';
import type { TemporalConnection } from './connect';
import { askTemporal } from './rpc-failure';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { hostOfSource } from '../../api/upload/sources/source-rules';
import type { FileLocation } from '../../files/file-location';
import type { BatchInput } from '../batch/types';

/** A long poll lasts one minute. The server lists pollers for five minutes. */
const ALIVE_MS = 70_000;

/** Kinds of tasks: their numbers in the server (TASK_QUEUE_TYPE_WORKFLOW, _ACTIVITY). */
const KINDS = { workflow: 1, activity: 2 } as const;

type Service = TemporalConnection['client']['workflowService'];

/** The part of the server that is used here. */
export interface QueueReader {
  describeTaskQueue(request: {
    readonly namespace: string;
    readonly taskQueue: { readonly name: string };
    readonly taskQueueType: number;
  }): Promise<Pick<Awaited<ReturnType<Service['describeTaskQueue']>>, 'pollers'>>;
}

/** A queue of an account, and the account's control queue. */
export interface WorkQueue {
  readonly control: string;
  readonly queue: string;
}

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
 * also serves the account's transfer queue and the queue of its machine. Custom workers with another kind of name
 * count for a machine only while they poll for its activities. A worker that died less than 70 s ago still counts.
 */
export function livingWorkers(
  {
    client,
    namespace,
    address,
  }: Pick<TemporalConnection, 'namespace' | 'address'> & {
    readonly client: Pick<TemporalConnection['client'], 'workflowService'>;
  },
  { control, queue }: WorkQueue,
): Promise<LivingWorker[]> {
  const service = client.workflowService;
  return askTemporal({ namespace, address }, undefined, async () => {
    const [ofAccount, onQueue] = await Promise.all([
      pollersOf(service, { namespace, queue: control, kind: 'workflow' }),
      queue === control ? [] : pollersOf(service, { namespace, queue, kind: 'activity' }),
    ]);
    const host = hostOfQueue(control, queue);
    const serving = ofAccount.filter((worker) => host === undefined || worker.host === host);
    return once([...serving, ...onQueue]);
  });
}

interface Polled {
  readonly namespace: string;
  readonly queue: string;
  readonly kind: keyof typeof KINDS;
}

/**
 * Workers that polled a queue for tasks of a kind within the last 70 s. The server's partitions of a queue forward their
 * pollers to the root, which is asked.
 */
export async function pollersOf(
  service: QueueReader,
  { namespace, queue, kind }: Polled,
): Promise<LivingWorker[]> {
  const { pollers } = await service.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: KINDS[kind],
  });
  const found = pollers.map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    lastSeen: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
    ...given({ host: hostOfWorker(identity ?? '') }),
  }));
  return once(found.filter(({ lastSeen }) => Date.now() - lastSeen.getTime() < ALIVE_MS));
}

/** Each worker once, as it was last seen. */
function once(workers: readonly LivingWorker[]): LivingWorker[] {
  const latest = new Map<string, LivingWorker>();
  for (const worker of workers) {
    const before = latest.get(worker.identity);
    if (before === undefined || before.lastSeen < worker.lastSeen) latest.set(worker.identity, worker);
  }
  return [...latest.values()];
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
}: Account & Pick<BatchInput, 'manifest' | 'folder' | 'options'>): WorkerNeed {
  const ofManifest = 'rows' in manifest ? undefined : hostOfSource(manifest.source);
  const hosts = distinctHosts([hostOf(folder), ofManifest, options.sourceHost]);
  return { queuePrefix, accountId, hosts };
}

/** Each machine once. */
export function distinctHosts(hosts: readonly (string | undefined)[]): string[] {
  return [...new Set(hosts.filter((host) => host !== undefined))];
}

/** The machine of a file or folder, or undefined if every worker can reach it. */
export function hostOf(location: FileLocation): string | undefined {
  return location.kind === 'path' ? location.host : undefined;
}
