import { noopMetricMeter } from '@temporalio/common';
import { createNamedSecrets } from '../../api/named-secrets';
import { createS3 } from '../../files/s3/s3-client';
import { systemClock } from '../../api/clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters } from '../../api/upload/parts/aimd-limiter';
import type { AccountDeps, ActivityDeps } from '../activities/context/activity-deps';
import { createAccountRates } from '../activities/context/account-rates';
import { createDrain } from '../activities/context/drain';
import { createKnownHosts } from '../activities/context/known-hosts';
import { createPartBandwidth } from '../activities/context/part-bandwidth';
import { createPartSlots } from '../activities/context/part-slots';
import { RowSlots } from '../activities/context/row-slots';
import { createStorageSlots } from '../activities/context/storage-slots';
import { unwatched } from '../activities/context/watch-step';
import type { WatchStep } from '../activities/context/watch-step';
import { createPartRate } from '../../api/upload/parts/part-rate';
import type { WorkQueue } from '../client/living-workers';
import { controlQueue, DEFAULT_QUEUE_PREFIX, transferQueue } from '../contract/upload';
import { metricsOver } from '../metrics';
import type { Metrics } from '../metrics';
import { allAccountDeps } from './account-deps';
import type { ServiceMaking } from './account-deps';
import { queueKindOf } from './telemetry/task-facts';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './worker-config';
import type { WorkerConfig, WorkerSlots } from './worker-config';
import { slotsOf } from './worker-parts';

interface DepsParts extends Partial<Omit<ServiceMaking, 'transport'>> {
  /** Number of workers that take parts from any of these queues. Default: only this one. */
  readonly workersOf?: (queues: readonly WorkQueue[]) => Promise<number>;
  /** Default: nothing is counted. */
  readonly metrics?: Metrics;
  /** Default: nothing is counted. */
  readonly watchStep?: WatchStep;
}

/**
 * What the activities share, made from plain settings. Throws `Configuration` if an account is malformed, missing or
 * repeated.
 */
export function depsOf(
  config: WorkerConfig,
  ownTransport: Transport,
  {
    clock = systemClock,
    workersOf = () => Promise.resolve(1),
    watchStep = unwatched,
    observe,
    metrics = metricsOver(noopMetricMeter),
  }: DepsParts = {},
): ActivityDeps & { readonly accounts: Map<string, AccountDeps> } {
  const knownHosts = createKnownHosts(systemClock);
  const transport = knownHosts.noting(ownTransport);
  const rate = createPartRate();
  const slots = slotsOf(config);
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  const { queuePrefix = DEFAULT_QUEUE_PREFIX, shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS } = config;
  const accounts = allAccountDeps(config.accounts, {
    transport,
    clock,
    ...(observe === undefined ? {} : { observe }),
  });
  return {
    accounts,
    host,
    roots,
    sourceHosts,
    ...(spoolDir === undefined ? {} : { spoolDir }),
    files: { roots, outputRoots, s3: createS3(config.s3) },
    secrets: createNamedSecrets(config.secrets),
    transport,
    knownHosts,
    // The number of parts that this process can send at once: each account has its own slots, and rows have others.
    limiters: createAimdLimiters({ max: () => accounts.size * (slots.transfer + slots.host) + slots.rows }),
    rate,
    bandwidth: createPartBandwidth({
      bytesPerSecond: config.bandwidth,
      clock: systemClock,
      workersOf: ({ accountId, queue }) =>
        workersOf([{ control: controlQueue(queuePrefix, accountId), queue }]),
      onWaited(ms) {
        if (ms > 0) metrics.observe('bandwidthWait', {}, ms / 1000);
      },
    }),
    ...ratesOf(config, accounts, workersOf),
    partSlots: createPartSlots((taskQueue) => partSlotsOf(slots, taskQueue)),
    watchStep,
    metrics,
    rowSlots: new RowSlots(slots.rows),
    shutdownGraceMs,
    drain: createDrain({
      clock: systemClock,
      graceMs: shutdownGraceMs,
      bytesPerSecond: () => rate.bytesPerSecond(),
    }),
  };
}

/** Large parts of rows need as much memory as other parts. */
function partSlotsOf(slots: WorkerSlots, taskQueue: string): number {
  const kind = queueKindOf({ taskQueue });
  return slots[kind === 'pages' ? 'transfer' : kind];
}

/** The limits that are divided by the number of workers. */
function ratesOf(
  { storageLimits: limits = {}, queuePrefix = DEFAULT_QUEUE_PREFIX }: WorkerConfig,
  accounts: ReadonlyMap<string, AccountDeps>,
  workersOf: NonNullable<DepsParts['workersOf']>,
): Pick<ActivityDeps, 'storageSlots' | 'accountRates'> {
  const control = (id: string): string => controlQueue(queuePrefix, id);
  // Every worker of an account serves its transfer queue, whichever queue a part came from.
  const transferQueues = (): WorkQueue[] =>
    [...accounts.keys()].map((id) => ({ control: control(id), queue: transferQueue(queuePrefix, id) }));
  return {
    storageSlots: createStorageSlots({
      limits,
      clock: systemClock,
      workers: () => workersOf(transferQueues()),
    }),
    accountRates: createAccountRates({
      clock: systemClock,
      limitsOf: (id) => accounts.get(id)?.limits ?? {},
      workersOf: (id, queue = control(id)) => workersOf([{ control: control(id), queue }]),
    }),
  };
}
