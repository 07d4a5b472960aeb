import { totalmem } from 'node:os';
import { given } from '../../api/json';
import { createCodec, parseCodecKeys } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX, pagesQueue, transferQueue } from '../upload/types';
import type { WorkerParts } from './create-worker';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './worker-config';
import type { WorkerConfig, WorkerSlots } from './worker-config';

/** Estimated memory of a part while it is sent: chunks of the source, and the buffers of the connection. */
const PART_MEMORY_BYTES = 16 * 1024 * 1024;
/** Share of the memory for parts. The rest is for Node, Temporal's core and the workflows. */
const MEMORY_FOR_PARTS = 0.25;
const MAX_BY_DEFAULT = 8;

/** What all workers of one process share besides the configuration. The bundle is for those that run workflows. */
export type SharedParts = Pick<
  WorkerParts,
  'connection' | 'activities' | 'workflowBundle' | 'interceptors' | 'identity'
>;

/** An account's workers: control (with the workflows), transfer and pages, and the last two for this host's files. */
export function workerPartsOf(
  config: WorkerConfig,
  id: string,
  { workflowBundle, ...shared }: SharedParts,
): readonly WorkerParts[] {
  const { host, queuePrefix: prefix = DEFAULT_QUEUE_PREFIX, version, temporal } = config;
  const { namespace, codecKeys } = temporal;
  const dataConverter =
    codecKeys === undefined ? undefined : { payloadCodecs: [createCodec(parseCodecKeys(codecKeys))] };
  const { shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS } = config;
  const part = { ...shared, namespace, shutdownGraceMs, ...given({ version, dataConverter }) };
  const slots = slotsOf(config);
  return [
    { ...part, queue: controlQueue(prefix, id), slots: slots.control, ...given({ workflowBundle }) },
    { ...part, queue: transferQueue(prefix, id), slots: slots.parts },
    { ...part, queue: transferQueue(prefix, id, host), slots: slots.parts },
    { ...part, queue: pagesQueue(prefix, id), slots: slots.pages },
    { ...part, queue: pagesQueue(prefix, id, host), slots: slots.pages },
  ];
}

export function slotsOf({ slots }: Pick<WorkerConfig, 'slots'>): WorkerSlots {
  return { control: 40, pages: 8, rows: 128, parts: defaultPartSlots(), ...slots };
}

/** Default number of parts that this process sends at once: at least 1, at most 8. */
function defaultPartSlots(): number {
  const fitting = Math.floor((memoryOfProcess() * MEMORY_FOR_PARTS) / PART_MEMORY_BYTES);
  return Math.min(MAX_BY_DEFAULT, Math.max(1, fitting));
}

/** The container's limit, if there is one. */
function memoryOfProcess(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
