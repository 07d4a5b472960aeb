import type { IExecuteFunctions } from 'n8n-workflow';
import { given } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import { connectTemporal } from '../../../temporal/client/connect';
import type { ConnectOptions, TemporalConnection } from '../../../temporal/client/connect';
import type { TemporalAddress, TlsText } from '../../../temporal/client/temporal-network';
import { DEFAULT_QUEUE_PREFIX } from '../../../temporal/upload/types';
import { checkTemporalCredential } from './check-temporal-credential';

export const TEMPORAL_CREDENTIAL = 'mediaServiceTemporalApi';

/** Temporal as the credential "Temporal API" describes it. */
export interface TemporalAccess {
  readonly connection: TemporalConnection;
  /** The task queue prefix that workers and n8n share. */
  readonly queuePrefix: string;
  /** Folder that n8n and the workers share for binary data. Unset: none. */
  readonly sharedFolder?: string;
}

type CredentialData = Readonly<Record<string, unknown>>;

/**
 * Connects to the Temporal of the item's credential, after checking its fields. The caller must close `connection`.
 */
export async function openTemporal(
  data: CredentialData,
  options: ConnectOptions = {},
): Promise<TemporalAccess> {
  const sharedFolder = textOf(data, 'sharedFolder');
  const address = temporalAddressOf(data);
  checkTemporalCredential(address, data['authentication'] === 'mtls');
  return {
    connection: await connectTemporal(address, options),
    queuePrefix: textOf(data, 'taskQueuePrefix') ?? DEFAULT_QUEUE_PREFIX,
    ...(sharedFolder === undefined ? {} : { sharedFolder }),
  };
}

/** Whether the node has a Temporal credential, even if that Temporal does not answer. */
function temporalIsChosen(context: IExecuteFunctions): boolean {
  return context.getNode().credentials?.[TEMPORAL_CREDENTIAL] !== undefined;
}

/** The decrypted credential of the item. If none is chosen, rejects with an error that says what to do. */
export async function temporalCredential(
  context: IExecuteFunctions,
  itemIndex: number,
): Promise<CredentialData> {
  if (!temporalIsChosen(context)) {
    throw new MediaServiceError('Configuration', 'This operation needs the credential "Temporal API"', {
      field: TEMPORAL_CREDENTIAL,
      hint: hintFor(context, itemIndex),
    });
  }
  return context.getCredentials<Record<string, unknown>>(TEMPORAL_CREDENTIAL, itemIndex);
}

function hintFor(context: IExecuteFunctions, itemIndex: number): string {
  if (context.getNodeParameter('resource', itemIndex) === 'batch') {
    return 'Batches always run on Temporal workers. Choose a "Temporal API" credential in this node; without Temporal, Upload > Upload takes the files one by one.';
  }
  if (context.getNodeParameter('operation', itemIndex) === 'upload')
    return 'Choose a "Temporal API" credential in this node, or run the upload in n8n.';
  return 'It controls uploads that run on a Temporal worker. Choose a "Temporal API" credential in this node. To read an upload inside n8n, use Get or Wait with its upload ID. To end it, stop its execution.';
}

export function temporalAddressOf(data: CredentialData): TemporalAddress {
  const apiKey = data['authentication'] === 'apiKey' ? textOf(data, 'apiKey') : undefined;
  const codecKeys = textOf(data, 'codecSecretKey');
  const tls = tlsOf(data);
  return {
    address: textOf(data, 'address') ?? '',
    namespace: textOf(data, 'namespace') ?? 'default',
    ...given({ apiKey, codecKeys, tls }),
  };
}

function tlsOf(data: CredentialData): TemporalAddress['tls'] {
  if (data['tls'] !== true && data['authentication'] === 'none') return undefined;
  const mtls = data['authentication'] === 'mtls';
  const text: TlsText = {
    ...pemField('caPem', textOf(data, 'serverCaCertificate')),
    ...(mtls ? pemField('certPem', textOf(data, 'clientCertificate')) : {}),
    ...(mtls ? pemField('keyPem', textOf(data, 'clientPrivateKey')) : {}),
    ...field('serverName', textOf(data, 'serverName')),
  };
  return Object.keys(text).length === 0 ? true : text;
}

function pemField(name: string, text: string | undefined): Record<string, string> {
  return field(name, text === undefined ? undefined : pemOf(text));
}

function field(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

function textOf(data: CredentialData, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Restores the line breaks of PEM text, because password fields keep only one line. Text without a PEM block stays
 * unchanged.
 */
export function pemOf(text: string): string {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g)];
  if (blocks.length === 0) return text;
  return blocks.map(([, label = '', body = '']) => blockOf(label, body)).join('');
}

function blockOf(label: string, body: string): string {
  const base64 = body.replaceAll('\\n', '').replace(/\s+/g, '');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
