import { Worker } from '@temporalio/worker';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { given } from '../../api/json';
import type { WorkerVersion } from './worker-config';
import type { ActivityDeps } from './activity-deps';
import { batchActivities } from '../batch/activities/index';
import { uploadActivities } from '../upload/activities';
import { reportActivities } from '../reports/activities/index';

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
export const DEFAULT_DEPLOYMENT = 'media-service';

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly queue: string;
  /**
   * Made by `workerIdentity`, and the same for all queues of a worker. So others see that it is alive even if all its
   * slots are busy.
   */
  readonly identity: string;
  readonly activities: NonNullable<WorkerOptions['activities']>;
  /** Unset: this worker runs only activities. */
  readonly workflowBundle?: NonNullable<WorkerOptions['workflowBundle']>;
  /** Max activities at once. */
  readonly slots: number;
  /** Set: worker versioning. Workflows stay with the build that began them, unless they say otherwise. */
  readonly version?: WorkerVersion;
  readonly shutdownGraceMs: number;
  readonly telemetry?: Pick<WorkerOptions, 'interceptors'>;
  readonly dataConverter?: NonNullable<WorkerOptions['dataConverter']>;
}

/**
 * Makes any worker of this package: a queue, activities, and workflows if there is a bundle. It polls after `run()` is
 * called.
 */
export function createWorker(parts: WorkerParts): Promise<Worker> {
  const { connection, namespace, queue, identity, activities, workflowBundle, dataConverter } = parts;
  return Worker.create({
    connection,
    namespace,
    taskQueue: queue,
    identity,
    activities,
    ...given({ workflowBundle, dataConverter }),
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    ...given({ interceptors: parts.telemetry?.interceptors }),
    maxConcurrentActivityTaskExecutions: parts.slots,
    ...versionOf(parts.version),
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    shutdownGraceTime: parts.shutdownGraceMs,
    shutdownForceTime: parts.shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  });
}

function versionOf(version: WorkerVersion | undefined): Partial<WorkerOptions> {
  if (version === undefined) return {};
  const { buildId, deployment = DEFAULT_DEPLOYMENT } = version;
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { buildId, deploymentName: deployment },
      defaultVersioningBehavior: 'PINNED',
    },
  };
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

/**
 * The steps of uploads, batches and reports as activities. All share `deps` of this worker process.
 */
export function createActivities(deps: ActivityDeps) {
  return {
    ...uploadActivities(deps),
    ...batchActivities(deps),
    ...reportActivities(deps),
  };
}

export type WorkerActivities = ReturnType<typeof createActivities>;
