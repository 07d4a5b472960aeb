import { totalmem } from 'node:os';
import { createCodec, parseCodecKeys } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX, hostQueue, pagesQueue, transferQueue } from '../upload/types';
import type { WorkerParts } from './create-worker';
import {
  DEFAULT_CONTROL_SLOTS,
  DEFAULT_PAGE_SLOTS,
  DEFAULT_ROW_SLOTS,
  DEFAULT_SHUTDOWN_GRACE_MS,
} from './worker-config';
import type { WorkerConfig, WorkerSlots } from './worker-config';
import type { WorkflowBundle } from './workflow-threads';

/** Estimated memory of a part while it is sent: chunks of the source, and the buffers of the connection. */
const PART_MEMORY_BYTES = 16 * 1024 * 1024;
/** Share of the memory for parts. The rest is for Node, Temporal's core and the workflows. */
const MEMORY_FOR_PARTS = 0.25;
const MAX_BY_DEFAULT = 8;

/** What all workers of one process share. */
export interface SharedParts extends Pick<
  WorkerParts,
  'connection' | 'activities' | 'telemetry' | 'identity'
> {
  readonly bundle: WorkflowBundle;
}

interface AccountParts {
  readonly config: WorkerConfig;
  readonly id: string;
  readonly shared: SharedParts;
}

/** An account's workers: control (with the workflows), transfer and pages, and the last two for this host's files. */
export function workerPartsOf({ config, id, shared }: AccountParts): readonly WorkerParts[] {
  const { host, queuePrefix: prefix = DEFAULT_QUEUE_PREFIX } = config;
  const slots = slotsOf(config);
  const part = commonParts(config, shared);
  return [
    {
      ...part,
      queue: controlQueue(prefix, id),
      slots: slots.control,
      workflowBundle: shared.bundle,
    },
    { ...part, queue: transferQueue(prefix, id), slots: slots.transfer },
    { ...part, queue: hostQueue(prefix, id, host), slots: slots.host },
    { ...part, queue: pagesQueue(prefix, id), slots: slots.pages },
    { ...part, queue: pagesQueue(prefix, id, host), slots: slots.pages },
  ];
}

function commonParts(
  { temporal, version, shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS }: WorkerConfig,
  { connection, activities, telemetry, identity }: SharedParts,
): Omit<WorkerParts, 'queue' | 'slots'> {
  const { codecKeys } = temporal;
  return {
    connection,
    activities,
    ...(telemetry === undefined ? {} : { telemetry }),
    namespace: temporal.namespace,
    identity,
    shutdownGraceMs,
    ...(version === undefined ? {} : { version }),
    ...(codecKeys === undefined
      ? {}
      : { dataConverter: { payloadCodecs: [createCodec(parseCodecKeys(codecKeys))] } }),
  };
}

export function slotsOf({ slots }: Pick<WorkerConfig, 'slots'>): WorkerSlots {
  const parts = defaultTransferSlots();
  return {
    control: DEFAULT_CONTROL_SLOTS,
    transfer: parts,
    host: parts,
    pages: DEFAULT_PAGE_SLOTS,
    rows: DEFAULT_ROW_SLOTS,
    ...slots,
  };
}

/** Default number of parts that this process sends at once: at least 1, at most 8. */
function defaultTransferSlots(): number {
  const fitting = Math.floor((memoryOfProcess() * MEMORY_FOR_PARTS) / PART_MEMORY_BYTES);
  return Math.min(MAX_BY_DEFAULT, Math.max(1, fitting));
}

/** The container's limit, if there is one. */
function memoryOfProcess(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
