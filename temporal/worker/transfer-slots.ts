import { totalmem } from 'node:os';
import { ResourceBasedController } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';

import type { ResourceTargets } from './worker-config';

/** Estimated memory of a part while it is sent: chunks of the source, and the buffers of the connection. */
const PART_MEMORY_BYTES = 16 * 1024 * 1024;
/** Share of the memory for parts. The rest is for Node, Temporal's core and the workflows. */
const MEMORY_FOR_PARTS = 0.25;
const MAX_BY_DEFAULT = 8;
const CONTROL_WORKFLOW_SLOTS = 40;
const RAMP_MS = 50;

export type { ResourceBasedController };

type Tuner = NonNullable<WorkerOptions['tuner']>;

/** Default number of parts that a process with this memory (bytes) sends at once: at least 1, at most 8. */
export function defaultTransferSlots(memoryBytes = memoryOfProcess()): number {
  const fitting = Math.floor((memoryBytes * MEMORY_FOR_PARTS) / PART_MEMORY_BYTES);
  return Math.min(MAX_BY_DEFAULT, Math.max(1, fitting));
}

/** The container's limit, if there is one. */
function memoryOfProcess(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** One controller for all queues of a process, so that they share its targets. */
export function resourceController({
  targetMemory = 0.8,
  targetCpu = 0.9,
}: ResourceTargets): ResourceBasedController {
  return ResourceBasedController.create({ targetMemoryUsage: targetMemory, targetCpuUsage: targetCpu });
}

/** Runs as many activities at once as memory and CPU allow: at least one, at most `max`. */
export function resourceTuner(controller: ResourceBasedController, max: number): Tuner {
  const fixed = { type: 'fixed-size' as const, numSlots: CONTROL_WORKFLOW_SLOTS };
  return {
    workflowTaskSlotSupplier: fixed,
    localActivityTaskSlotSupplier: fixed,
    nexusTaskSlotSupplier: fixed,
    activityTaskSlotSupplier: {
      type: 'resource-based',
      controller,
      minimumSlots: 1,
      maximumSlots: max,
      rampThrottle: RAMP_MS,
    },
  };
}
