import type { ServedAccount } from '../../api/account';
import { ConfigurationError } from '../../api/errors';
import { readAccounts } from '../../settings/accounts/read-accounts';
import { requireAccount } from '../../settings/settings';
import type { Settings } from '../../settings/settings';
import { VARIABLES } from '../../settings/variables';

/**
 * Returns the accounts of the accounts file or folder if it is set, else that of the environment. Setting both is a
 * `Configuration` error: nobody could know which secrets apply to an account in both.
 */
export async function servedAccounts(settings: Settings): Promise<readonly ServedAccount[]> {
  const { accountsPath } = settings;
  if (accountsPath === undefined) {
    const { options, previousSecretKeys } = settings;
    const previous = previousSecretKeys === undefined ? {} : { previousSecretKeys };
    return [{ account: requireAccount(settings), options, ...previous }];
  }
  refuseBoth(settings);
  return readAccounts(accountsPath);
}

function refuseBoth({ account, previousSecretKeys }: Settings): void {
  const set = Object.keys({
    ...account,
    ...(previousSecretKeys === undefined ? {} : { previousSecretKeys }),
  });
  if (set.length === 0) return;
  throw new ConfigurationError(
    VARIABLES.accounts.name,
    `${VARIABLES.accounts.name} and the variables of an account are both set (${set.join(', ')}).`,
    'Keep one: move the account of the environment into the accounts file, or unset MEDIA_SERVICE_ACCOUNTS.',
  );
}
