import { setFlagsFromString } from 'node:v8';
import { Worker } from '@temporalio/worker';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { DEAF_SINKS } from './telemetry/telemetry';
import { resourceTuner } from './transfer-slots';
import type { ResourceBasedController } from './transfer-slots';
import type { WorkerVersion } from './worker-config';
import type { UploadActivities } from '../activities/create-activities';

/** Core's own stop after the grace: activities that ignore their cancellation are left to their heartbeat time-out. */
const FORCE_AFTER_GRACE_MS = 10_000;
/** How long a workflow waits for the worker that ran it last, which may be gone; the histories are short enough to be replayed elsewhere. */
const STICKY_MS = 5_000;
/** Heartbeats of groups carry outcomes: what a lost worker did last is done again. */
const HEARTBEAT_THROTTLE_MS = 1_000;
/** V8's own. */
const DEFAULT_STACK_LIMIT = 10;
export const DEFAULT_DEPLOYMENT = 'media-service';

export interface WorkerParts {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly queue: string;
  /** By `workerIdentity`, the same for all queues of a worker: then others see that it lives while all its slots are busy. */
  readonly identity: string;
  readonly activities: UploadActivities;
  /** Unset: this worker runs activities alone. */
  readonly workflowBundle?: NonNullable<WorkerOptions['workflowBundle']>;
  /** Most activities at once. */
  readonly slots: number;
  /** Set: slots follow memory and CPU, up to `slots`. */
  readonly controller?: ResourceBasedController;
  /** Set: worker versioning; workflows stay with the build that began them unless they say otherwise. */
  readonly version?: WorkerVersion;
  readonly shutdownGraceMs: number;
  /** Default: nobody listens to what workflows tell. */
  readonly telemetry?: Pick<WorkerOptions, 'interceptors' | 'sinks'>;
  readonly dataConverter?: NonNullable<WorkerOptions['dataConverter']>;
}

/** Makes any worker of this package: a queue, activities, and workflows where a bundle is given. It polls once `run()` is called. */
export function createWorker(parts: WorkerParts): Promise<Worker> {
  const { connection, namespace, queue, identity, activities, workflowBundle, dataConverter } = parts;
  const options: WorkerOptions = {
    connection,
    namespace,
    taskQueue: queue,
    identity,
    activities,
    ...(workflowBundle === undefined ? {} : { workflowBundle }),
    ...(dataConverter === undefined ? {} : { dataConverter }),
    stickyQueueScheduleToStartTimeout: STICKY_MS,
    ...{ sinks: DEAF_SINKS, ...parts.telemetry },
    ...slotsOf(parts),
    ...versionOf(parts.version),
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    shutdownGraceTime: parts.shutdownGraceMs,
    shutdownForceTime: parts.shutdownGraceMs + FORCE_AFTER_GRACE_MS,
  };
  return workflowBundle === undefined
    ? Worker.create(options)
    : withoutWorkflowStacks(() => Worker.create(options));
}

let creating = 0;

/**
 * The SDK takes a stack for every promise of a workflow, which costs a page more than all else that it does. V8 gives a context its stack limit when
 * the context is made, and worker threads make theirs while the worker is created.
 */
async function withoutWorkflowStacks<T>(create: () => Promise<T>): Promise<T> {
  creating += 1;
  setFlagsFromString('--stack-trace-limit=0');
  try {
    return await create();
  } finally {
    creating -= 1;
    if (creating === 0) setFlagsFromString(`--stack-trace-limit=${DEFAULT_STACK_LIMIT}`);
  }
}

function slotsOf({ slots, controller }: WorkerParts): Partial<WorkerOptions> {
  if (controller === undefined) return { maxConcurrentActivityTaskExecutions: slots };
  return { tuner: resourceTuner(controller, slots) };
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

/** All of them or none: where one cannot be made, the others are run and ended, since a connection with workers that never ran cannot be closed. */
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
