import { checkAccount } from '../api/account';
import type { Account } from '../api/account';
import { adviceOf } from '../api/advice';
import { ConfigurationError, wrongSetting } from '../api/errors';
import { requireAccount } from '../settings/settings';
import type { Settings } from '../settings/settings';
import { VARIABLES } from '../settings/variables';

/**
 * Returns the whole, checked account of the environment. Throws a `ConfigurationError` that names variables instead of
 * fields.
 */
export function checkedAccount(settings: Settings): Account {
  try {
    return checkAccount(requireAccount(settings), settings.options);
  } catch (error) {
    throw error instanceof ConfigurationError ? inVariables(error, settings) : error;
  }
}

function inVariables(error: ConfigurationError, { environment }: Settings): ConfigurationError {
  const { field = '', problem, remedy } = error.facts;
  const names: Readonly<Record<string, string>> = {
    baseUrl: VARIABLES.baseUrl.name,
    uploadUrl: environment === 'rc' ? VARIABLES.rcUploadUrl.name : VARIABLES.uploadUrl.name,
    externalId: VARIABLES.externalId.name,
    apiKey: VARIABLES.apiKey.name,
    secretKey: VARIABLES.secretKey.name,
  };
  const name = names[field];
  if (name === undefined || problem === undefined) return error;
  const advice = adviceOf(error.facts);
  return wrongSetting(
    name,
    problem,
    remedy?.kind === 'fill-in-setting' ? { ...advice, remedy: { ...remedy, setting: name } } : advice,
  );
}
