import { checkAccount } from '../api/account';
import type { Account, ServiceOptions } from '../api/account';
import { wrongSetting } from '../api/errors';
import { given } from '../api/json';
import { MAX_PARTS } from '../api/upload/plan-parts';
import { parseUrlRequestForm } from '../api/upload/protocol/additional-urls';
import { checkTemplate } from '../api/upload/protocol/complete-session';

/** The decrypted data of the credential "Media Service API". */
export type CredentialData = Readonly<Record<string, unknown>>;

/** The account and its options as the user typed them. Advanced fields count only while they are shown. */
export function accountOfCredential(data: CredentialData): {
  readonly account: Account;
  readonly options: ServiceOptions;
} {
  return {
    account: {
      baseUrl: textOf(data, 'baseUrl'),
      uploadUrl: textOf(data, 'uploadUrl'),
      apiKey: textOf(data, 'apiKey'),
      secretKey: textOf(data, 'secretKey'),
      externalId: textOf(data, 'externalId'),
    },
    options: data['advanced'] === true ? advancedOptions(data) : {},
  };
}

/**
 * The account in its normal form, after every setting was read in the same way as by an upload. Throws a
 * `ConfigurationError` that names the field. Sends nothing.
 */
export function checkCredential(data: CredentialData): Account {
  const { account, options } = accountOfCredential(data);
  const checked = checkAccount(account, options);
  const { additionalUrls, completeBody: template, maxParts = MAX_PARTS } = options;
  if (additionalUrls !== undefined) parseUrlRequestForm(additionalUrls);
  if (template !== undefined) checkTemplate(template);
  if (Number.isInteger(maxParts) && maxParts >= 1 && maxParts <= MAX_PARTS) return checked;
  throw wrongSetting(
    'maxParts',
    `must be a whole number from 1 to ${MAX_PARTS}`,
    `Write ${MAX_PARTS}, or the number that the operator of the service names.`,
  );
}

function advancedOptions(data: CredentialData): ServiceOptions {
  const filled = (field: string): string | undefined => textOf(data, field).trim() || undefined;
  const { useIngestTag, maxParts } = data;
  return given({
    ingestTag: useIngestTag === false ? false : filled('ingestTag'),
    additionalUrls: filled('additionalUrls'),
    completeBody: filled('completeBody'),
    maxParts: typeof maxParts === 'number' ? maxParts : undefined,
    // A space separates as well.
    sortSeparator: textOf(data, 'sortSeparator') || undefined,
    allowPlainHttp: data['allowPlainHttp'] === true,
  });
}

function textOf(data: CredentialData, field: string): string {
  const value = data[field];
  return typeof value === 'string' ? value : '';
}
