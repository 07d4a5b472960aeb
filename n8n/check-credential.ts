import { checkAccount } from '../api/account';
import type { Account } from '../api/account';
import { adviceOf } from '../api/advice';
import { ConfigurationError, wrongSetting } from '../api/errors';
import { parseUrlRequestForm, requireOwnServer } from '../api/upload/session/additional-urls';
import { completeBody } from '../api/upload/session/complete-session';
import { MAX_PARTS } from '../api/upload/parts/part-plan';
import type { CredentialAccount } from './credential-account';

/**
 * The account in its normal form, after every setting was read in the same way as by an upload. Throws a
 * `ConfigurationError` that names the field. Sends nothing.
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

/** As `checkAccount`, but its `ConfigurationError` names the form's field that contains the URL. */
export function checkCredentialAccount({ account, options, fields }: CredentialAccount): Account {
  try {
    return checkAccount(account, options);
  } catch (error) {
    throw error instanceof ConfigurationError ? namedAsStored(error, fields) : error;
  }
}

/** The same error, with the form's field that contains the URL. */
export function namedAsStored(
  error: ConfigurationError,
  fields: CredentialAccount['fields'],
): ConfigurationError {
  const { field, problem } = error.facts;
  if ((field !== 'baseUrl' && field !== 'uploadUrl') || problem === undefined) return error;
  return wrongSetting(fields[field], problem, adviceOf(error.facts));
}

function checkCompleteBody(template: string): void {
  completeBody(template, { uploadId: 'id', parts: [{ partNumber: 1, eTag: 'tag' }] });
}

function checkMaxParts(maxParts: number): void {
  if (Number.isInteger(maxParts) && maxParts >= 1 && maxParts <= MAX_PARTS) return;
  throw wrongSetting(
    'maxParts',
    `must be a whole number from 1 to ${MAX_PARTS}`,
    `Write ${MAX_PARTS}, or the number that the operator of the service names.`,
  );
}
