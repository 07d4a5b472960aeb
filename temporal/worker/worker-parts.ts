import { createCodec, parseCodecKeys } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX, hostQueue, transferQueue } from '../contract';
import type { WorkerParts } from './create-worker';
import { DEFAULT_SHUTDOWN_GRACE_MS, DEFAULT_SLOTS } from './worker-config';
import type { ServedAccount, WorkerConfig } from './worker-config';
import type { WorkflowBundle } from './workflow-bundle';

/** What all workers of one process share. */
export interface SharedParts extends Pick<WorkerParts, 'connection' | 'activities'> {
  readonly bundle: WorkflowBundle;
}

/** An account's three workers: control with the workflows, transfer, and this host's files. */
export function workerPartsOf(
  config: WorkerConfig,
  id: string,
  served: ServedAccount,
  shared: SharedParts,
): readonly WorkerParts[] {
  const { host, queuePrefix: prefix = DEFAULT_QUEUE_PREFIX } = config;
  const { limits = {} } = served;
  const slots = { ...DEFAULT_SLOTS, ...config.slots };
  const part = commonParts(config, shared);
  const calls = limits.callsPerSecond === undefined ? {} : { tasksPerSecond: limits.callsPerSecond };
  const parts = limits.partsPerSecond === undefined ? {} : { tasksPerSecond: limits.partsPerSecond };
  return [
    {
      ...part,
      ...calls,
      queue: controlQueue(prefix, id),
      slots: slots.control,
      workflowBundle: shared.bundle,
    },
    { ...part, ...parts, queue: transferQueue(prefix, id), slots: slots.transfer },
    { ...part, ...parts, queue: hostQueue(prefix, id, host), slots: slots.host },
  ];
}

function commonParts(
  { temporal, host, shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS }: WorkerConfig,
  { connection, activities }: SharedParts,
): Omit<WorkerParts, 'queue' | 'slots'> {
  const { codecKeys } = temporal;
  return {
    connection,
    activities,
    namespace: temporal.namespace,
    identity: `${String(process.pid)}@${host}`,
    shutdownGraceMs,
    ...(codecKeys === undefined
      ? {}
      : { dataConverter: { payloadCodecs: [createCodec(parseCodecKeys(codecKeys))] } }),
  };
}
