import type { Account, ServiceOptions } from '../api/account';

/** The decrypted data of the credential "Media Service API". */
export type CredentialData = Readonly<Record<string, unknown>>;

export interface CredentialAccount {
  /** As the user typed it. `createService` checks it. */
  readonly account: Account;
  readonly options: ServiceOptions;
  /** The form's fields that contain the URLs. */
  readonly fields: { readonly baseUrl: string; readonly uploadUrl: string };
}

/** Account and options of the environment in the credential. Advanced fields count only while they are shown. */
export function accountOfCredential(data: CredentialData): CredentialAccount {
  const rc = data['environment'] === 'rc';
  const fields = {
    baseUrl: rc && textOf(data, 'rcBaseUrl') !== '' ? 'rcBaseUrl' : 'baseUrl',
    uploadUrl: rc ? 'rcUploadUrl' : 'uploadUrl',
  };
  return {
    fields,
    account: {
      baseUrl: textOf(data, fields.baseUrl),
      uploadUrl: textOf(data, fields.uploadUrl),
      apiKey: textOf(data, 'apiKey'),
      secretKey: textOf(data, 'secretKey'),
      externalId: textOf(data, 'externalId'),
    },
    options: data['advanced'] === true ? advancedOptions(data) : {},
  };
}

function advancedOptions(data: CredentialData): ServiceOptions {
  const ingestTag = data['useIngestTag'] === false ? false : textOf(data, 'ingestTag').trim();
  const additionalUrls = textOf(data, 'additionalUrls').trim();
  const completeBody = textOf(data, 'completeBody').trim();
  const maxParts = data['maxParts'];
  const sortSeparator = textOf(data, 'sortSeparator');
  return {
    ...(ingestTag === '' ? {} : { ingestTag }),
    ...(additionalUrls === '' ? {} : { additionalUrls }),
    ...(completeBody === '' ? {} : { completeBody }),
    ...(typeof maxParts === 'number' ? { maxParts } : {}),
    ...(sortSeparator === '' ? {} : { sortSeparator }),
    allowPlainHttp: data['allowPlainHttp'] === true,
  };
}

function textOf(data: CredentialData, field: string): string {
  const value = data[field];
  return typeof value === 'string' ? value : '';
}

const LABELS: Readonly<Record<string, string>> = {
  baseUrl: 'Base URL',
  rcBaseUrl: 'Base URL (Release Candidate)',
  uploadUrl: 'Upload URL (Production)',
  rcUploadUrl: 'Upload URL (Release Candidate)',
  apiKey: 'API Key',
  secretKey: 'Secret Key',
  externalId: 'External ID',
  ingestTag: 'Ingest Tag Name',
  additionalUrls: 'Additional URLs Request',
  completeBody: 'Complete Body',
  maxParts: 'Max Parts',
  allowedDomains: 'Allowed Domains',
};

/** The label of an account's field in n8n, or undefined if the credential does not have the field. */
export function credentialLabel(field: string): string | undefined {
  return LABELS[field];
}
