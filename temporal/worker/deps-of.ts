import type { Clock } from '../../api/clock';
import { createNamedSecrets } from '../../api/named-secrets';
import { createS3 } from '../../api/s3/s3-client';
import { systemClock } from '../../api/system-clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters } from '../../api/upload/parts/aimd-limiter';
import type { AccountDeps, ActivityDeps } from '../activities/context/activity-deps';
import { createPartRate } from '../../api/upload/parts/part-rate';
import { allAccountDeps } from './account-deps';
import type { WorkerConfig } from './worker-config';

/** What the activities share, from plain settings. Throws `Configuration` where an account is malformed, missing or given twice. */
export function depsOf(
  config: WorkerConfig,
  transport: Transport,
  clock: Clock = systemClock,
): ActivityDeps & { readonly accounts: Map<string, AccountDeps> } {
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  return {
    accounts: allAccountDeps(config.accounts, { transport, clock }),
    host,
    roots,
    sourceHosts,
    ...(spoolDir === undefined ? {} : { spoolDir }),
    places: { roots, outputRoots, s3: createS3(config.s3) },
    secrets: createNamedSecrets(config.secrets),
    transport,
    limiters: createAimdLimiters(),
    rate: createPartRate(),
  };
}
