import { accountId, checkAccount } from '../../../api/account';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import { jsonBytes } from '../../../api/upload/types';
import type { UploadRequest } from '../../../api/upload/types';
import { labelOf } from '../../../api/upload/sources/source';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { isOurs } from '../../../api/upload/sources/source-rules';
import { checkUpload } from '../../../api/upload/validate';
import { UPLOAD_INPUT_SCHEMA } from '../types';
import type { UploadWorkflowInput } from '../types';
import { deletePurpose, isSealed, seal, sealKeysOf, sourceUrlPurpose } from '../../seal';
import { isJsonObject } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { TemporalConnection } from '../../client/connect';
import { payloadReader } from '../../client/wait-reason';
import { askTemporal } from '../../client/rpc-failure';

/**
 * Limit of the whole input as it is sent. Temporal accepts no payload above 2 MB, and a page of a batch contains some
 * fields twice.
 */
const MAX_UPLOAD_INPUT_BYTES = 1_000_000;

interface UploadInputParts {
  readonly account: Account;
  readonly request: UploadRequest;
  readonly queuePrefix: string;
  readonly serviceOptions?: ServiceOptions;
}

/**
 * The input of an upload's workflow: the checked request, the account's name without its secrets, and the sealed URL
 * of the source. Throws a `Validation` or `Configuration` error that names the field.
 */
export function uploadInput(parts: UploadInputParts): UploadWorkflowInput {
  const account = checkAccount(parts.account, parts.serviceOptions);
  const { baseUrl, uploadUrl, externalId } = account;
  const request = checkUpload(parts.request);
  const input = {
    ...request,
    source: sealedSource(request.source, account.secretKey),
    schema: UPLOAD_INPUT_SCHEMA,
    account: { baseUrl, uploadUrl, externalId, accountId: accountId(account) },
    queuePrefix: parts.queuePrefix,
  };
  refuseLargeInput(input, {
    max: MAX_UPLOAD_INPUT_BYTES,
    what: 'The fields and the address of this upload',
    field: 'metadata',
    hint: 'Shorten its metadata, tags, title or address.',
  });
  return input;
}

/**
 * The source, safe to send: a plain URL is sealed for the account's workers. An object of ours gets a proof that they may
 * delete it. Every other source stays unchanged. Throws a `ValidationError` if the URL is not an http(s) URL.
 */
export function sealedSource(source: SourceDescriptor, secretKey: string): SourceDescriptor {
  if (source.kind === 's3' && isOurs(source)) {
    return { ...source, deleteProof: seal(sealKeysOf(secretKey), '', deletePurpose(source)) };
  }
  if (source.kind !== 'http' || isSealed(source.url)) return source;
  const { url } = source;
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ValidationError('source.url', 'The source is not an http or https URL.');
  }
  const label = labelOf(url);
  return { ...source, label, url: seal(sealKeysOf(secretKey), url, sourceUrlPurpose(label)) };
}

/**
 * The input with which a run was started. Read from the first event of its history, so that no worker is needed.
 * Rejects with `RequestRefused` if Temporal does not know the run (any more).
 */
export async function startedInput(
  connection: TemporalConnection,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<unknown> {
  const { client, namespace } = connection;
  const { history } = await askTemporal(connection, execution.workflowId, () =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await payloadReader(connection)(payloads);
  return input;
}

export interface KnownInput<Input> {
  readonly workflowId: string;
  /** What the workflow was started as: `an upload`. */
  readonly noun: string;
  /** The newest schema that this version knows. */
  readonly schema: number;
  /** Fields that only such an input has. Temporal carries the rest as JSON. */
  readonly fields: readonly (keyof Input & string)[];
}

/** The input as its type. Throws `InputTooNew` if a newer version started it, and `Internal` if it is another input. */
export function checkedInput<Input>(input: unknown, known: KnownInput<Input>): Input {
  const { workflowId, noun, schema } = known;
  if (isKnown(input, known)) return input;
  const given = isJsonObject(input) ? input['schema'] : undefined;
  const isNewer = typeof given === 'number' && given > schema;
  throw new MediaServiceError(
    isNewer ? 'InputTooNew' : 'Internal',
    isNewer
      ? `${workflowId} was started with input schema ${String(given)}, this program knows ${String(schema)}: update it.`
      : `${workflowId} was not started as ${noun}.`,
  );
}

function isKnown<Input>(input: unknown, { schema, fields }: KnownInput<Input>): input is Input & JsonObject {
  if (!isJsonObject(input) || typeof input['schema'] !== 'number') return false;
  return input['schema'] <= schema && fields.every((field) => field in input);
}

interface InputLimit {
  readonly max: number;
  /** The name of the value in the error: a plural, as `The rows`. */
  readonly what: string;
  readonly field: string;
  readonly hint: string;
}

/**
 * Throws a `ValidationError` if the value has more bytes of JSON than `max`. Call it with the value that is sent:
 * sealing makes http URLs a third longer, and short ones several times longer. Temporal accepts no payload above 2 MB,
 * and its codec adds some hundred bytes.
 */
export function refuseLargeInput(sent: unknown, { max, what, field, hint }: InputLimit): void {
  const bytes = jsonBytes(sent);
  if (bytes <= max) return;
  throw new ValidationError(
    field,
    `${what} have ${bytes} bytes as they are sent, with sealed addresses; at most ${max} can be sent through Temporal.`,
    hint,
  );
}
