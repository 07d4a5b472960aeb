import { Worker } from '@temporalio/worker';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { UploadActivities } from '../activities/create-activities';

/** Core's own stop after the grace: activities that ignore their cancellation are left to their heartbeat time-out. */
const FORCE_AFTER_GRACE_MS = 10_000;
/** How long a workflow waits for the worker that ran it last, which may be gone; the histories are short enough to be replayed elsewhere. */
const STICKY_MS = 5_000;

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly queue: string;
  readonly identity: string;
  readonly activities: UploadActivities;
  /** Unset: this worker runs activities alone. */
  readonly workflowBundle?: NonNullable<WorkerOptions['workflowBundle']>;
  /** Most activities at once. */
  readonly slots: number;
  readonly shutdownGraceMs: number;
  readonly dataConverter?: NonNullable<WorkerOptions['dataConverter']>;
}

/** Makes any worker of this package: a queue, activities, and workflows where a bundle is given. It polls once `run()` is called. */
export function createWorker(parts: WorkerParts): Promise<Worker> {
  const { connection, namespace, queue, identity, activities, workflowBundle, dataConverter } = parts;
  return Worker.create({
    connection,
    namespace,
    taskQueue: queue,
    identity,
    activities,
    ...(workflowBundle === undefined ? {} : { workflowBundle }),
    ...(dataConverter === undefined ? {} : { dataConverter }),
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    maxConcurrentActivityTaskExecutions: parts.slots,
    shutdownGraceTime: parts.shutdownGraceMs,
    shutdownForceTime: parts.shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  });
}
