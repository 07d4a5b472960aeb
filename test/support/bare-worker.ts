import type { WorkerInterceptors } from '@temporalio/worker';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { createActivities, createWorker } from '../../temporal/worker/create-worker';
import type { WorkerActivities } from '../../temporal/worker/create-worker';
import { connectWorker } from '../../temporal/worker/connect-worker';
import { depsOf } from '../../temporal/worker/deps-of';
import { installRuntime } from '../../temporal/worker/json-log';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { testWorkflowBundle } from './workflow-bundle';

export interface BareWorker {
  /** Queues to poll; `true`: workflows too. */
  readonly queues: Readonly<Record<string, boolean>>;
  /** Interceptors around its activities. */
  readonly interceptors?: WorkerInterceptors;
  /** Replaces our activities with those of the test. */
  change?(ours: WorkerActivities): Partial<WorkerActivities>;
}

let logs = '';

/** What all bare workers of this process have logged: the SDK takes one logger per process. */
export function bareWorkerLogs(): string {
  return logs;
}

/** A worker as a library user could build it, with any queues and activities. The returned function drains it. */
export async function startBareWorker(
  config: WorkerConfig,
  { queues, interceptors, change }: BareWorker,
): Promise<() => Promise<void>> {
  installRuntime('info', (line) => {
    logs += line;
  });
  const transport = createUndiciTransport();
  const connection = await connectWorker(config.temporal);
  const ours = createActivities(depsOf(config, transport));
  const activities = { ...ours, ...change?.(ours) };
  const workflowBundle = { codePath: await testWorkflowBundle() };
  const { namespace } = config.temporal;
  const part = {
    ...{ connection, activities, namespace, identity: 'bare', slots: 4, shutdownGraceMs: 0 },
    ...(interceptors === undefined ? {} : { interceptors }),
  };
  const workers = await Promise.all(
    Object.entries(queues).map(([queue, workflows]) =>
      createWorker({ ...part, queue, ...(workflows ? { workflowBundle } : {}) }),
    ),
  );
  const runs = workers.map((worker) => worker.run());
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
    await connection.close();
    await transport.close();
  };
  return () => (stopped ??= stop());
}
