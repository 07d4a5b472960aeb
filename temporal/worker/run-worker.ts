import type { Worker } from '@temporalio/worker';
import type { Clock } from '../../api/clock';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { systemClock } from '../../api/system-clock';
import { sweepSpool } from '../../api/upload/sources/path/sweep-spool';
import { createActivities } from '../activities/create-activities';
import { createCodec, parseCodecKeys } from '../codec';
import { controlQueue, DEFAULT_QUEUE_PREFIX, hostQueue, transferQueue } from '../contract';
import { checkFolders } from './check-folders';
import { connectWorker } from './connect-worker';
import { createWorker } from './create-worker';
import type { WorkerParts } from './create-worker';
import { depsOf } from './deps-of';
import { startHealthServer } from './health-server';
import type { HealthServer } from './health-server';
import { installLogger } from './json-log';
import { DEFAULT_SHUTDOWN_GRACE_MS, DEFAULT_SLOTS } from './worker-config';
import type { WorkerConfig } from './worker-config';
import { workflowBundle } from './workflow-bundle';
import type { WorkflowBundle } from './workflow-bundle';

export interface WorkerControl {
  /** Ends the worker gracefully: nothing new is taken, running activities get the grace time. */
  readonly signal: AbortSignal;
  /** Called once all queues are polled, with their names. */
  readonly onReady?: (queues: readonly string[]) => void;
  /** Where log lines go. Default: standard error. The first worker of a process decides. */
  readonly writeLog?: (line: string) => void;
  /** Default: the pre-built one, else made from the sources. */
  readonly workflowBundle?: WorkflowBundle;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Serves the queues of all accounts (control, transfer, this host's) until `signal` aborts, then drains. Rejects with
 * `Configuration` or `TemporalUnreachable` before anything is polled, and when a worker dies; nothing is left open either way.
 */
export async function runWorker(config: WorkerConfig, control: WorkerControl): Promise<void> {
  const logger = installLogger(config.logLevel ?? 'info', control.writeLog);
  await checkFolders(config);
  const { spoolDir } = config;
  // What uploads left whose worker did not come back.
  if (spoolDir !== undefined) await sweepSpool({ spoolDir, now: systemClock.now() });
  const workers: Worker[] = [];
  const health = await startHealth(config.healthPort, workers);
  const transport = createUndiciTransport();
  try {
    const deps = depsOf(config, transport, control.clock);
    const bundle = control.workflowBundle ?? (await workflowBundle(logger));
    const connection = await connectWorker(config.temporal);
    try {
      const activities = createActivities(deps);
      const parts = partsOf(config, [...deps.accounts.keys()], { connection, activities, bundle });
      workers.push(...(await Promise.all(parts.map((part) => createWorker(part)))));
      const queues = parts.map(({ queue }) => queue);
      await serve({ workers, queues, control });
    } finally {
      await connection.close();
      deps.places.s3.close();
    }
  } finally {
    await transport.close();
    await health?.close();
  }
}

/** Before any worker is made: a connection with workers that never ran cannot be closed. */
async function startHealth(
  port: number | undefined,
  workers: readonly Worker[],
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined;
  const allRunning = (): boolean =>
    workers.length > 0 && workers.every((worker) => worker.getState() === 'RUNNING');
  return startHealthServer(port, allRunning);
}

interface Shared extends Pick<WorkerParts, 'connection' | 'activities'> {
  readonly bundle: WorkflowBundle;
}

function partsOf(config: WorkerConfig, accountIds: readonly string[], shared: Shared): WorkerParts[] {
  const { temporal, host, queuePrefix: prefix = DEFAULT_QUEUE_PREFIX } = config;
  const { connection, activities, bundle } = shared;
  const slots = { ...DEFAULT_SLOTS, ...config.slots };
  const part = {
    connection,
    activities,
    namespace: temporal.namespace,
    identity: `${String(process.pid)}@${host}`,
    shutdownGraceMs: config.shutdownGraceMs ?? DEFAULT_SHUTDOWN_GRACE_MS,
    ...(temporal.codecKeys === undefined
      ? {}
      : { dataConverter: { payloadCodecs: [createCodec(parseCodecKeys(temporal.codecKeys))] } }),
  };
  return accountIds.flatMap((id) => [
    { ...part, queue: controlQueue(prefix, id), slots: slots.control, workflowBundle: bundle },
    { ...part, queue: transferQueue(prefix, id), slots: slots.transfer },
    { ...part, queue: hostQueue(prefix, id, host), slots: slots.host },
  ]);
}

interface Serving {
  readonly workers: readonly Worker[];
  readonly queues: readonly string[];
  readonly control: WorkerControl;
}

async function serve({ workers, queues, control }: Serving): Promise<void> {
  const { signal, onReady } = control;
  const drain = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  try {
    signal.addEventListener('abort', drain, { once: true });
    const runs = workers.map((worker) => worker.run());
    // A connection can only be closed once its workers have run.
    if (signal.aborted) drain();
    else onReady?.(queues);
    // One that died takes the others along: half a worker would leave its uploads waiting unseen.
    await Promise.all(runs).catch(async (error: unknown) => {
      drain();
      await Promise.allSettled(runs);
      throw error;
    });
  } finally {
    signal.removeEventListener('abort', drain);
  }
}
