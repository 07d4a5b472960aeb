import { given } from '../../api/json';
import { noopMetricMeter } from '@temporalio/common';
import { createNamedSecrets } from '../../api/named-secrets';
import { createS3 } from '../../files/s3/s3-client';
import { systemClock } from '../../api/clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters } from '../../api/upload/parts/aimd-limiter';
import type { ActivityDeps } from '../activities/context/activity-deps';
import { createDrain } from '../activities/context/drain';
import { createKnownHosts } from '../activities/context/known-hosts';
import { createPartBandwidth } from '../activities/context/part-bandwidth';
import { createPartSlots } from '../activities/context/part-slots';
import { createRates } from '../activities/context/rates';
import { RowSlots } from '../activities/context/row-slots';
import { unwatched } from '../activities/context/watch-step';
import type { WatchStep } from '../activities/context/watch-step';
import { createPartRate } from '../../api/upload/parts/part-rate';
import { metricsOver } from '../metrics';
import { workerIdentity } from '../worker-identity';
import type { Metrics } from '../metrics';
import { allAccountDeps } from './account-deps';
import type { ServiceMaking } from './account-deps';
import { queueKindOf } from './telemetry/task-facts';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './worker-config';
import type { WorkerConfig, WorkerSlots } from './worker-config';
import { slotsOf } from './worker-parts';

interface DepsParts extends Partial<Omit<ServiceMaking, 'transport'>> {
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
    watchStep = unwatched,
    observe,
    metrics = metricsOver(noopMetricMeter),
  }: DepsParts = {},
): ActivityDeps {
  const knownHosts = createKnownHosts(systemClock);
  const transport = knownHosts.noting(ownTransport);
  const rate = createPartRate();
  const slots = slotsOf(config);
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  const { shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS } = config;
  const accounts = allAccountDeps(config.accounts, {
    transport,
    clock,
    ...given({ observe }),
  });
  // Each account has its own slots, and rows have others.
  const partsAtOnce = accounts.size * (slots.transfer + slots.host) + slots.rows;
  return {
    accounts,
    identity: workerIdentity({ host, roots, outputRoots }),
    host,
    roots,
    sourceHosts,
    ...(spoolDir === undefined ? {} : { spoolDir }),
    files: { roots, outputRoots, s3: createS3(config.s3) },
    secrets: createNamedSecrets(config.secrets),
    transport,
    knownHosts,
    limiters: createAimdLimiters({ max: () => partsAtOnce }),
    rate,
    bandwidth: createPartBandwidth({
      bytesPerSecond: config.bandwidth,
      clock: systemClock,
      onWaited(ms) {
        if (ms > 0) metrics.observe('bandwidthWait', {}, ms / 1000);
      },
    }),
    accountRates: createRates({
      clock: systemClock,
      limitsOf: (id) => accounts.get(id)?.limits ?? {},
      storageLimits: config.storageLimits,
    }),
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
