import { Runtime } from '@temporalio/worker';
import type { Logger } from '@temporalio/worker';
import { systemClock } from '../../api/clock';
import type { Clock } from '../../api/clock';
import { md5Engine } from '../../api/md5/md5-engine';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { hasCode } from '../../api/errors';
import { sweepSpool } from '../../files/sources/spool-file';
import { createActivities, createWorkers } from './create-worker';
import { checkFolders } from './check-folders';
import { connectWorker } from './connect-worker';
import { depsOf } from './deps-of';
import { startHealthServer } from './health-server';
import { installRuntime } from './json-log';
import { packageVersion } from './package-version';
import { DEFAULT_QUEUE_PREFIX } from '../upload/types';
import { interceptorsOf, startFromZero } from '../telemetry/worker';
import { metricsOver } from '../metrics';
import type { Metrics } from '../metrics';
import type { WorkerConfig } from './worker-config';
import { workerPartsOf } from './worker-parts';
import type { SharedParts } from './worker-parts';
import { WorkerFleet } from './worker-fleet';
import { workflowBundle } from './workflow-bundle';
import type { WorkflowBundle } from './workflow-bundle';

export interface WorkerControl {
  /** Stops the worker gracefully: it takes no new work, and running activities get the grace period. */
  readonly signal: AbortSignal;
  /** Called with the names of all queues, when all are polled. */
  readonly onReady?: (queues: readonly string[]) => void;
  /** Writes a log line. Default: standard error. The first worker of a process decides. */
  readonly writeLog?: (line: string) => void;
  /** Default: the pre-built bundle, otherwise one made from the sources. */
  readonly workflowBundle?: WorkflowBundle;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/** Pause before the login of an account is tried again that the service did not answer. */
const AGAIN_MS = 10_000;
const GAUGES_EVERY_MS = 2_000;

/**
 * Serves the queues of all accounts (control, transfer, this host's) until `signal` aborts, then drains. Rejects with
 * `Configuration`, `TemporalUnreachable` or `LoginRefused` before anything is polled, and when a worker dies. Closes
 * everything in both cases.
 */
export async function runWorker(config: WorkerConfig, control: WorkerControl): Promise<void> {
  const logger = installRuntime(config.logLevel ?? 'info', control.writeLog, config.metrics);
  await checkFolders(config);
  // Of uploads whose worker did not come back.
  if (config.spoolDir !== undefined) await sweepSpool(config.spoolDir, systemClock.now());
  const meter = Runtime.instance().metricMeter;
  const metrics = metricsOver(meter);
  let notReady: () => readonly string[] = () => ['the worker starts'];
  // Before any worker is made, because a connection can't be closed while its workers never ran.
  const health = config.health && (await startHealthServer(config.health, () => notReady()));
  if (health !== undefined) logger.info('Health checks are answered', { url: health.url });
  const transport = createUndiciTransport();
  try {
    const { clock = systemClock } = control;
    const deps = depsOf(config, transport, { clock, metrics });
    logger.info('MD5 of parts', { ...md5Engine.report() });
    const connection = await connectWorker(config.temporal);
    try {
      const shared: SharedParts = {
        connection,
        activities: createActivities(deps),
        workflowBundle: control.workflowBundle ?? (await workflowBundle(logger)),
        interceptors: interceptorsOf(metrics),
        identity: deps.identity,
      };
      startFromZero(meter, config, deps.accounts.keys());
      const fleet = new WorkerFleet({
        accountIds: [...deps.accounts.keys()],
        logIn: (id, signal) => logIn(deps, { id, signal, logger, clock }),
        createWorkers: (id) => createWorkers(workerPartsOf(config, id, shared)),
      });
      notReady = () => fleet.notReady();
      await serve({ config, control, deps, fleet, metrics });
    } finally {
      await connection.close();
      deps.files.s3.close();
    }
  } finally {
    await transport.close();
    await health?.close();
  }
}

interface LoggingIn {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A worker with a wrong key would end uploads that another one could do. So it logs in before it polls. */
async function logIn(
  { accounts }: ReturnType<typeof depsOf>,
  { id, signal, logger, clock }: LoggingIn,
): Promise<void> {
  for (;;) {
    try {
      await accounts.get(id)?.service.tokens.token(signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      if (hasCode(error, 'LoginRefused')) {
        logger.error('The account is not served: its login was refused', { accountId: id, error });
        throw error;
      }
      logger.warn("The account can't log in yet; this is retried", { accountId: id, error });
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}

interface Serving {
  readonly config: WorkerConfig;
  readonly control: WorkerControl;
  readonly deps: ReturnType<typeof depsOf>;
  readonly fleet: WorkerFleet;
  readonly metrics: Metrics;
}

async function serve({ config, control, deps, fleet, metrics }: Serving): Promise<void> {
  const { signal, onReady } = control;
  const { version, host } = config;
  const { deploymentName: deployment = DEFAULT_QUEUE_PREFIX, buildId = '' } = version ?? {};
  metrics.set('workerInfo', { version: packageVersion(), deployment, build_id: buildId, host }, 1);
  const show = (): void => {
    metrics.set('workerReady', {}, fleet.notReady().length === 0 ? 1 : 0);
    metrics.set('workerDraining', {}, signal.aborted ? 1 : 0);
    for (const [origin, parts] of deps.partAdmissions.storageLimits())
      metrics.set('storageConcurrency', { origin }, parts);
  };
  show();
  const timer = setInterval(show, GAUGES_EVERY_MS);
  const drain = (): void => {
    deps.stopping.abort();
    fleet.drain();
    show();
  };
  signal.addEventListener('abort', drain, { once: true });
  try {
    if (signal.aborted) drain();
    await fleet.started;
    show();
    if (!signal.aborted) onReady?.(fleet.queues());
    await fleet.ended;
  } finally {
    signal.removeEventListener('abort', drain);
    clearInterval(timer);
  }
}
