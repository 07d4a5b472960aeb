import type { Account } from '../api/account/account';
import { checkAccount } from '../api/account/check-account';
import { ConfigurationError } from '../api/errors';
import { requireAccount, type Settings } from '../settings/settings';
import { VARIABLES } from '../settings/variables';

/** The whole, checked account of the environment. Throws a `ConfigurationError` that names variables, not the fields they fill. */
export function checkedAccount(settings: Settings): Account {
  try {
    return checkAccount(requireAccount(settings), settings.options);
  } catch (error) {
    throw error instanceof ConfigurationError ? inVariables(error, settings) : error;
  }
}

const FIELD = /\b(?:baseUrl|uploadUrl|externalId|apiKey|secretKey|allowPlainHttp)\b/g;

function inVariables({ message, facts }: ConfigurationError, { environment }: Settings): ConfigurationError {
  const names = {
    baseUrl: VARIABLES.baseUrl.name,
    uploadUrl: environment === 'rc' ? VARIABLES.rcUploadUrl.name : VARIABLES.uploadUrl.name,
    externalId: VARIABLES.externalId.name,
    apiKey: VARIABLES.apiKey.name,
    secretKey: VARIABLES.secretKey.name,
    allowPlainHttp: `${VARIABLES.allowPlainHttp.name}=true`,
  };
  const named = (text: string): string => text.replace(FIELD, (field) => names[field as keyof typeof names]);
  return new ConfigurationError(
    named(facts.field ?? ''),
    named(message),
    facts.hint === undefined ? undefined : named(facts.hint),
  );
}
