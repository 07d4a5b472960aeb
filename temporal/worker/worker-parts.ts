import { createCodec, parseCodecKeys } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX, hostQueue, pagesQueue, transferQueue } from '../contract/upload';
import type { WorkerParts } from './create-worker';
import { defaultTransferSlots } from './transfer-slots';
import type { ResourceBasedController } from './transfer-slots';
import {
  DEFAULT_CONTROL_SLOTS,
  DEFAULT_PAGE_SLOTS,
  DEFAULT_ROW_SLOTS,
  DEFAULT_SHUTDOWN_GRACE_MS,
} from './worker-config';
import type { WorkerConfig, WorkerSlots } from './worker-config';
import type { WorkflowBundle } from './workflow-bundle';

/** High enough that the tuner sets the actual limit. */
const MAX_TUNED_SLOTS = 100;

/** What all workers of one process share. */
export interface SharedParts extends Pick<
  WorkerParts,
  'connection' | 'activities' | 'telemetry' | 'identity'
> {
  readonly bundle: WorkflowBundle;
  /** Set: transfer slots follow memory and CPU. */
  readonly controller?: ResourceBasedController;
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
  const tuned = shared.controller === undefined ? {} : { controller: shared.controller };
  const part = commonParts(config, shared);
  return [
    {
      ...part,
      queue: controlQueue(prefix, id),
      slots: slots.control,
      workflowBundle: shared.bundle,
    },
    { ...part, ...tuned, queue: transferQueue(prefix, id), slots: slots.transfer },
    { ...part, ...tuned, queue: hostQueue(prefix, id, host), slots: slots.host },
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

/** With the resource tuner, the slots are an upper bound, high unless the configuration sets it. */
export function slotsOf({ slots, tuner }: Pick<WorkerConfig, 'slots' | 'tuner'>): WorkerSlots {
  const parts = tuner === undefined ? defaultTransferSlots() : MAX_TUNED_SLOTS;
  return {
    control: DEFAULT_CONTROL_SLOTS,
    transfer: parts,
    host: parts,
    pages: DEFAULT_PAGE_SLOTS,
    rows: DEFAULT_ROW_SLOTS,
    ...slots,
  };
}
