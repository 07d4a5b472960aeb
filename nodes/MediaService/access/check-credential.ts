import type { Account } from '../../../api/account/account';
import { checkAccount } from '../../../api/account/check-account';
import { ConfigurationError } from '../../../api/errors';
import { parseUrlRequestForm, requireOwnServer } from '../../../api/upload/session/additional-urls';
import { completeBody } from '../../../api/upload/session/complete-body';
import { MAX_PARTS } from '../../../api/upload/parts/part-plan';
import type { CredentialAccount } from './credential-account';

/**
 * The account in its normal form, once every setting was read as an upload will read it. Throws a `ConfigurationError`
 * that names the field; sends nothing.
 */
export function checkCredential(given: CredentialAccount): Account {
  const { options } = given;
  const checked = checkCredentialAccount(given);
  if (options.additionalUrls !== undefined) {
    requireOwnServer(parseUrlRequestForm(options.additionalUrls).target, checked);
  }
  if (options.completeBody !== undefined) checkCompleteBody(options.completeBody);
  if (options.maxParts !== undefined) checkMaxParts(options.maxParts);
  return checked;
}

/** `checkAccount`, whose `ConfigurationError` names the field of the form that the address stands in. */
export function checkCredentialAccount({ account, options, fields }: CredentialAccount): Account {
  try {
    return checkAccount(account, options);
  } catch (error) {
    throw error instanceof ConfigurationError ? namedAsStored(error, fields) : error;
  }
}

function namedAsStored(error: ConfigurationError, fields: CredentialAccount['fields']): ConfigurationError {
  const { field, hint } = error.facts;
  if (field !== 'baseUrl' && field !== 'uploadUrl') return error;
  const named = (text: string): string => text.replace(field, fields[field]);
  return new ConfigurationError(
    fields[field],
    named(error.message),
    hint === undefined ? undefined : named(hint),
  );
}

function checkCompleteBody(template: string): void {
  completeBody(template, { uploadId: 'id', parts: [{ partNumber: 1, eTag: 'tag' }] });
}

function checkMaxParts(maxParts: number): void {
  if (Number.isInteger(maxParts) && maxParts >= 1 && maxParts <= MAX_PARTS) return;
  throw new ConfigurationError(
    'maxParts',
    `maxParts must be a whole number from 1 to ${MAX_PARTS}`,
    `Write ${MAX_PARTS}, or the number that the operator of the service names.`,
  );
}
