import type { WorkerDeploymentVersion } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from './activity-deps';
import { endRow } from '../batch/activities/large-row';
import { planBatch } from '../batch/activities/plan-batch';
import { uploadPage } from '../batch/activities/upload-page';
import { writeResults } from '../batch/activities/write-results';
import { deliverReport } from '../reports/activities/deliver-report';
import { planFailureReport, readFailureReport } from '../reports/activities/read-report';
import { uploadActivities } from '../upload/activities';

/**
 * After the grace period, Temporal's core stops by force. Activities that ignore their cancellation then end by their
 * heartbeat timeout.
 */
const FORCE_AFTER_GRACE_MS = 10_000;
/**
 * How long a workflow waits for the worker that ran it last and may be gone. Histories are short enough to be replayed
 * elsewhere.
 */
const STICKY_MS = 5_000;
/** Heartbeats carry the parts that are done. A lost worker's work since its last heartbeat is repeated. */
const HEARTBEAT_THROTTLE_MS = 1_000;

export interface WorkerParts extends Pick<
  WorkerOptions,
  'namespace' | 'activities' | 'interceptors' | 'dataConverter'
> {
  readonly connection: NativeConnection;
  readonly queue: string;
  /**
   * Made by `workerIdentity`, and the same for all queues of a worker. So others see that it is alive even if all its
   * slots are busy.
   */
  readonly identity: string;
  /** Unset: this worker runs only activities. */
  readonly workflowBundle?: NonNullable<WorkerOptions['workflowBundle']>;
  /** Max activities at once. */
  readonly slots: number;
  /** Set: worker versioning. Workflows stay with the build that began them, unless they say otherwise. */
  readonly version?: WorkerDeploymentVersion;
  readonly shutdownGraceMs: number;
}

/**
 * Makes any worker of this package: a queue, activities, and workflows if there is a bundle. It polls after `run()` is
 * called.
 */
export function createWorker({
  queue,
  slots,
  version,
  shutdownGraceMs,
  ...options
}: WorkerParts): Promise<Worker> {
  return Worker.create({
    ...options,
    taskQueue: queue,
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    maxConcurrentActivityTaskExecutions: slots,
    ...(version === undefined
      ? {}
      : {
          workerDeploymentOptions: {
            useWorkerVersioning: true,
            version,
            defaultVersioningBehavior: 'PINNED',
          },
        }),
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  });
}

/**
 * Makes all workers or none. If one can't be made, it runs and stops the others, because a connection can't be closed
 * while its workers never ran.
 */
export async function createWorkers(parts: readonly WorkerParts[]): Promise<readonly Worker[]> {
  const made = await Promise.allSettled(parts.map((part) => createWorker(part)));
  const workers = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = made.find((one) => one.status === 'rejected');
  if (failed === undefined) return workers;
  await Promise.allSettled(
    workers.map((worker) => {
      const run = worker.run();
      worker.shutdown();
      return run;
    }),
  );
  throw failed.reason;
}

/** The steps of uploads, batches and reports as activities. All share `deps` of this worker process. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...uploadActivities(deps),
    planBatch: planBatch(deps),
    uploadPage: uploadPage(deps),
    endRow: endRow(deps),
    writeResults: writeResults(deps),
    planFailureReport: planFailureReport(deps),
    readFailureReport: readFailureReport(deps),
    deliverReport: deliverReport(deps),
  };
}

export type WorkerActivities = ReturnType<typeof createActivities>;
