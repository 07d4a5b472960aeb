import type { Logger, Worker } from '@temporalio/worker';
import type { AccountsListener, ServedAccount } from '../../api/account/account';
import type { Clock } from '../../api/clock';
import { md5Engine } from '../../api/md5/md5-engine';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { systemClock } from '../../api/clock';
import { sweepSpool } from '../../api/upload/sources/path/sweep-spool';
import { workersServing } from '../client/living-workers';
import type { WorkQueue } from '../client/living-workers';
import { createActivities } from '../activities/create-activities';
import { workerIdentity } from '../worker-identity';
import { accountDepsOf, accountsById } from './account-deps';
import { createAccountFleet } from './account-fleet';
import type { AccountFleet } from './account-fleet';
import { checkFolders } from './check-folders';
import { connectWorker } from './connect-worker';
import { createWorkers, DEFAULT_DEPLOYMENT } from './create-worker';
import { depsOf } from './deps-of';
import { startHealthServer } from './health-server';
import type { HealthPages, HealthServer } from './health-server';
import { coreMetricsAddress, installLogger } from './json-log';
import { countReloadsFromZero, countUploadsFromZero } from './metrics/registry';
import { freeLoopbackAddress, metricsPage } from './metrics/metrics-page';
import type { MetricsPage, WorkerGauges } from './metrics/metrics-page';
import { packageVersion } from './package-version';
import { createTelemetry } from './telemetry/telemetry';
import type { Telemetry } from './telemetry/telemetry';
import { createSharingWorkers } from './sharing-workers';
import { resourceController } from './transfer-slots';
import type { WorkerConfig } from './worker-config';
import { slotsOf, workerPartsOf } from './worker-parts';
import type { SharedParts } from './worker-parts';
import { workflowBundle } from './workflow-bundle';
import type { WorkflowBundle } from './workflow-bundle';

export interface WorkerControl {
  /** Stops the worker gracefully: it takes no new work, and running activities get the grace period. */
  readonly signal: AbortSignal;
  /** Called with the names of all queues, when all are polled. */
  readonly onReady?: (queues: readonly string[]) => void;
  /** Reports changed accounts to the listener. The returned function stops that. Unset: the accounts never change. */
  readonly watchAccounts?: (listener: AccountsListener) => () => void;
  /** Writes a log line. Default: standard error. The first worker of a process decides. */
  readonly writeLog?: (line: string) => void;
  /** Default: the pre-built bundle, otherwise one made from the sources. */
  readonly workflowBundle?: WorkflowBundle;
  /** Default: the system's clock. */
  readonly clock?: Clock;
}

/** Pause before workers of an account are tried again after a failure. */
const AGAIN_MS = 10_000;

/**
 * Serves the queues of all accounts (control, transfer, this host's) until `signal` aborts, then drains. Accounts may
 * change meanwhile. Rejects with `Configuration` or `TemporalUnreachable` before anything is polled, and when a worker
 * dies. Closes everything in both cases.
 */
export async function runWorker(config: WorkerConfig, control: WorkerControl): Promise<void> {
  const coreMetrics = config.healthPort === undefined ? undefined : await freeLoopbackAddress();
  const logger = installLogger(config.logLevel ?? 'info', control.writeLog, coreMetrics);
  await checkFolders(config);
  const { spoolDir } = config;
  // Removes files of uploads whose worker did not come back.
  if (spoolDir !== undefined) await sweepSpool({ spoolDir, now: systemClock.now() });
  const telemetry = await createTelemetry({
    metrics: config.healthPort !== undefined,
    tracesEndpoint: config.tracesEndpoint,
    logger,
  });
  const pages: { -readonly [Page in keyof HealthPages]: HealthPages[Page] } = {
    notReady: () => ['the worker starts'],
  };
  // Before any worker is made, because a connection can't be closed while its workers never ran.
  const health = await openHealth(config, pages, logger);
  const transport = createUndiciTransport();
  try {
    const workersOf: { now?: (queues: readonly WorkQueue[]) => Promise<number> } = {};
    const deps = depsOf(config, transport, {
      ...(control.clock === undefined ? {} : { clock: control.clock }),
      workersOf: (queues) => workersOf.now?.(queues) ?? Promise.resolve(1),
      observe: telemetry.observe,
      watchStep: telemetry.watchStep,
      onWaited: (ms) => telemetry.metrics.add('bandwidthWait', {}, ms / 1000),
    });
    const bundle = control.workflowBundle ?? (await workflowBundle(logger));
    void md5Engine.report().then((report) => {
      logger.info('MD5 of parts', { ...report, ...roundedGain(report) });
    });
    const connection = await connectWorker(config.temporal);
    const { namespace } = config.temporal;
    workersOf.now = createSharingWorkers({
      workersOf: (queue) => workersServing(connection.workflowService, { namespace, ...queue }),
      clock: systemClock,
    });
    try {
      const shared: SharedParts = {
        connection,
        activities: createActivities(deps),
        bundle,
        telemetry,
        identity: workerIdentity(config.host),
        ...(config.tuner === undefined ? {} : { controller: resourceController(config.tuner) }),
      };
      const fleet = createFleet({ config, control, shared, deps, telemetry, logger });
      pages.notReady = () => fleet.notReady();
      if (telemetry.hasMetrics) pages.metrics = () => pageOf({ config, control, deps, fleet, telemetry });
      await serve(fleet, { config, control, logger, telemetry, beginDrain: () => deps.drain.begin() });
    } finally {
      await connection.close();
      deps.files.s3.close();
    }
  } finally {
    await transport.close();
    await telemetry.close();
    await health?.close();
  }
}

async function openHealth(
  { healthPort: port, healthHost: host }: WorkerConfig,
  pages: HealthPages,
  logger: Logger,
): Promise<HealthServer | undefined> {
  if (port === undefined) return undefined;
  const health = await startHealthServer({ port, host }, pages);
  logger.info('Health checks and metrics are answered', { url: health.url });
  return health;
}

interface Page {
  readonly config: WorkerConfig;
  readonly control: WorkerControl;
  readonly deps: ReturnType<typeof depsOf>;
  readonly fleet: AccountFleet;
  readonly telemetry: Telemetry;
}

function pageOf({ config, control, deps, fleet, telemetry }: Page): Promise<MetricsPage> {
  const { metrics } = telemetry;
  const { deployment = DEFAULT_DEPLOYMENT, buildId = '' } = config.version ?? {};
  telemetry.refresh();
  metrics.set(
    'workerInfo',
    { version: packageVersion(), deployment, build_id: buildId, host: config.host },
    1,
  );
  metrics.set('partHashGain', {}, md5Engine.gain);
  const gauges: WorkerGauges = {
    notReady: () => fleet.notReady(),
    isDraining: () => control.signal.aborted,
    accounts: () => fleet.accounts(),
    partRate: () => deps.rate.bytesPerSecond(),
    storageConcurrencies: () => deps.limiters.limits(),
    bandwidth: () => config.bandwidth,
    slots: () =>
      [...deps.accounts.keys()].flatMap((account) =>
        Object.entries<number>({ ...slotsOf(config) }).map(([queue, slots]) => ({
          account,
          queue,
          slots,
        })),
      ),
  };
  return metricsPage(metrics, gauges, coreMetricsAddress());
}

/** Rounds for people who read the log. */
function roundedGain({ gain }: { readonly gain?: number }): { readonly gain?: number } {
  return gain === undefined ? {} : { gain: Math.round(gain * 100) / 100 };
}

interface FleetMaking {
  readonly config: WorkerConfig;
  readonly control: WorkerControl;
  readonly shared: SharedParts;
  readonly deps: ReturnType<typeof depsOf>;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
}

function createFleet(making: FleetMaking): AccountFleet {
  const { config, control, shared, telemetry, logger } = making;
  const { accounts, transport } = making.deps;
  const { clock = systemClock } = control;
  countReloadsFromZero(telemetry.metrics);
  const known = new Map<string, string>();
  for (const [id, served] of accountsById(config.accounts)) known.set(id, JSON.stringify(served));
  return createAccountFleet({
    createWorkers: (id): Promise<readonly Worker[]> => createWorkers(workerPartsOf({ config, id, shared })),
    onServed(id, served) {
      countUploadsFromZero(telemetry.metrics, id);
      const text = JSON.stringify(served);
      // A new service would log in again, and would forget that the server asked it to wait.
      if (known.get(id) === text) return;
      known.set(id, text);
      accounts.set(id, accountDepsOf(served, { transport, clock, observe: telemetry.observe }));
      logger.info('The account was added or changed', { accountId: id });
    },
    onGone(id) {
      known.delete(id);
      accounts.delete(id);
    },
    onFailure(id, error) {
      logger.error("The account can't be served yet; this is retried", { accountId: id, error });
    },
    onGivenUp(id, error) {
      const facts = { accountId: id, error };
      logger.warn('Work of the removed account did not end in the grace period, and was given up', facts);
    },
    pause: (signal) => systemClock.sleep(AGAIN_MS, signal),
  });
}

interface Serving {
  readonly config: WorkerConfig;
  readonly control: WorkerControl;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly beginDrain: () => void;
}

async function serve(
  fleet: AccountFleet,
  { config, control, logger, telemetry, beginDrain }: Serving,
): Promise<void> {
  const { signal, onReady } = control;
  const drain = (): void => {
    beginDrain();
    fleet.drain();
  };
  signal.addEventListener('abort', drain, { once: true });
  let unwatch: (() => void) | undefined;
  try {
    await fleet.apply(accountsById(config.accounts)).catch(() => fleet.ended);
    if (signal.aborted) drain();
    else onReady?.(fleet.queues());
    unwatch = control.watchAccounts?.({
      onAccounts: (served) => void applyAccounts(fleet, served, { logger, telemetry }),
      onProblem: (error) => refuseAccounts(error, { logger, telemetry }),
    });
    await fleet.ended;
  } finally {
    unwatch?.();
    signal.removeEventListener('abort', drain);
  }
}

async function applyAccounts(
  fleet: AccountFleet,
  served: readonly ServedAccount[],
  { logger, telemetry }: Pick<Serving, 'logger' | 'telemetry'>,
): Promise<void> {
  try {
    await fleet.apply(accountsById(served));
    telemetry.metrics.add('accountReloads', { outcome: 'applied' });
    // The list includes queues of removed accounts until their work has ended.
    const { draining } = fleet.accounts();
    logger.info('The changed accounts are served', {
      accounts: served.length,
      draining,
      queues: fleet.queues(),
    });
  } catch (error) {
    refuseAccounts(error, { logger, telemetry });
  }
}

function refuseAccounts(error: unknown, { logger, telemetry }: Pick<Serving, 'logger' | 'telemetry'>): void {
  telemetry.metrics.add('accountReloads', { outcome: 'refused' });
  logger.error("The changed accounts can't be used; the previous accounts stay", { error });
}
