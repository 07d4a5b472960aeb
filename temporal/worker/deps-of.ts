import { accountId } from '../../api/account/account-id';
import type { Clock } from '../../api/clock';
import { createNamedSecrets } from '../../api/named-secrets';
import { createS3 } from '../../api/s3/s3-client';
import { createService } from '../../api/service/create-service';
import { ConfigurationError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { Transport } from '../../api/transport/transport';
import { createAimdLimiters } from '../../api/upload/parts/aimd-limiter';
import type { AccountDeps, ActivityDeps } from '../activities/context/activity-deps';
import { createPartRate } from '../../api/upload/parts/part-rate';
import { sealKeyOf } from '../seal';
import type { ServedAccount, WorkerConfig } from './worker-config';

/** What the activities share, from plain settings. Throws `Configuration` where an account is malformed, missing or given twice. */
export function depsOf(config: WorkerConfig, transport: Transport, clock: Clock = systemClock): ActivityDeps {
  const { roots, sourceHosts = [], spoolDir, host, outputRoots = [] } = config;
  return {
    accounts: accountsOf(config.accounts, { transport, clock }),
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

function accountsOf(
  served: readonly ServedAccount[],
  parts: { readonly transport: Transport; readonly clock: Clock },
): Map<string, AccountDeps> {
  const accounts = new Map<string, AccountDeps>();
  for (const { account, options = {} } of served) {
    const service = createService({ account, options, ...parts });
    const id = accountId(service.account);
    if (accounts.has(id)) throw new ConfigurationError('accounts', `The account ${id} is given twice.`);
    accounts.set(id, { service, sealKey: sealKeyOf(account.secretKey) });
  }
  if (accounts.size > 0) return accounts;
  throw new ConfigurationError(
    'accounts',
    'The worker has no account to serve.',
    'Set base URL, upload URL, API key, secret key and external id.',
  );
}
