import type { ServedAccount } from '../../api/account/account';
import { given } from '../../api/json';
import { accountId } from '../../api/account/account-id';
import type { Clock } from '../../api/clock';
import { ConfigurationError } from '../../api/errors';
import { createService } from '../../api/service/create-service';
import type { CallObserver } from '../../api/service/observed-transport';
import type { Transport } from '../../api/transport/transport';
import type { AccountDeps } from '../activities/context/activity-deps';
import { sealKeysOf } from '../seal';

export interface ServiceMaking {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Observes every request of the account's service. */
  readonly observe?: (accountId: string) => CallObserver;
}

/** Service, seal keys and limits of one account. Throws `Configuration` if the account is malformed. */
function accountDepsOf(
  { account, options = {}, limits = {}, previousSecretKeys }: ServedAccount,
  making: ServiceMaking,
): AccountDeps {
  const { transport, clock, observe } = making;
  const observer = observe?.(accountId(account));
  const service = createService({
    account,
    options,
    transport,
    clock,
    ...given({ otherSecretKeys: previousSecretKeys, observer }),
  });
  return { service, sealKeys: sealKeysOf(account.secretKey, previousSecretKeys), limits };
}

/**
 * The dependencies of all accounts by account id. Throws `Configuration` if an account is malformed or repeated, or if
 * there is none.
 */
export function allAccountDeps(
  served: readonly ServedAccount[],
  making: ServiceMaking,
): ReadonlyMap<string, AccountDeps> {
  const accounts = new Map<string, AccountDeps>();
  for (const one of served) {
    const id = accountId(one.account);
    if (accounts.has(id)) throw new ConfigurationError('accounts', `The account ${id} is given twice.`);
    accounts.set(id, accountDepsOf(one, making));
  }
  if (accounts.size > 0) return accounts;
  throw new ConfigurationError(
    'accounts',
    'The worker has no account to serve.',
    'Set base URL, upload URL, API key, secret key and external id.',
  );
}
