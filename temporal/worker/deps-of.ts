import { noopMetricMeter } from '@temporalio/common';
import { ConfigurationError } from '../../api/errors';
import { given } from '../../api/json';
import { createNamedSecrets } from '../../files/named-secrets';
import { createS3 } from '../../files/s3/s3-client';
import { systemClock } from '../../api/clock';
import type { Clock } from '../../api/clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters, createBandwidthLimiter } from '../../api/upload/part/admission';
import type { ActivityDeps } from './activity-deps';
import { createPartAdmissions } from './limits/part-admission';
import { KnownHosts } from './limits/known-hosts';
import { Rates } from './limits/rates';
import { RowSlots } from './limits/row-slots';
import { metricsOver } from '../metrics';
import type { Metrics } from '../metrics';
import { observerOf } from '../telemetry/worker';
import { workerIdentity } from '../worker-identity';
import { DEFAULT_SHUTDOWN_GRACE_MS } from './worker-config';
import type { WorkerConfig } from './worker-config';
import { slotsOf } from './worker-parts';
import { accountId } from '../../api/account';
import { createService } from '../../api/service/create-service';
import { sealKeysOf } from '../seal';

interface DepsParts {
  readonly clock?: Clock;
  /** Default: nothing is counted. */
  readonly metrics?: Metrics;
}

/** What the activities share, made from plain settings. Throws `Configuration` without an account, or if one is malformed. */
export function depsOf(
  config: WorkerConfig,
  ownTransport: Transport,
  { clock = systemClock, metrics = metricsOver(noopMetricMeter) }: DepsParts = {},
): ActivityDeps {
  if (config.accounts.length === 0) throw new ConfigurationError('accounts', 'The worker has no account.');
  const knownHosts = new KnownHosts(clock);
  const transport = knownHosts.noting(ownTransport);
  const slots = slotsOf(config);
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  const identity = workerIdentity(host, roots);
  const { shutdownGraceMs = DEFAULT_SHUTDOWN_GRACE_MS, bandwidth } = config;
  const accounts = new Map(
    config.accounts.map(({ account, options = {}, limits = {}, previousSecretKeys: otherSecretKeys }) => {
      const id = accountId(account);
      const more = { observer: observerOf(metrics, id), ...given({ otherSecretKeys }) };
      const service = createService({ account, options, transport, clock, ...more });
      return [id, { service, sealKeys: sealKeysOf(account.secretKey, otherSecretKeys), limits }];
    }),
  );
  if (accounts.size < config.accounts.length)
    throw new ConfigurationError('accounts', 'An account is given twice.', 'Give each account once.');
  // Each account has slots in two queues, and rows have others.
  const partsAtOnce = accounts.size * 2 * slots.parts + slots.rows;
  const accountRates = new Rates(systemClock, (id) => accounts.get(id)?.limits ?? {});
  return {
    accounts,
    identity,
    host,
    roots,
    sourceHosts,
    ...given({ spoolDir }),
    files: { roots, outputRoots, s3: createS3(config.s3) },
    secrets: createNamedSecrets(config.secrets),
    transport,
    knownHosts,
    partAdmissions: createPartAdmissions({
      slots: slots.parts,
      rates: accountRates,
      storages: createAimdLimiters(() => partsAtOnce),
      ...(bandwidth === undefined ? {} : { byteLimiter: createBandwidthLimiter(bandwidth, systemClock) }),
    }),
    accountRates,
    metrics,
    rowSlots: new RowSlots(slots.rows, identity),
    shutdownGraceMs,
    stopping: new AbortController(),
  };
}
