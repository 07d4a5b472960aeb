import { accountId, checkAccount } from '../../../api/account';
import type { Account, ServiceOptions } from '../../../api/account';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import { jsonBytes } from '../../../api/upload/types';
import type { UploadRequest } from '../../../api/upload/types';
import { labelOf } from '../../../api/upload/sources/source';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { isOurs } from '../../../api/upload/sources/source-rules';
import { checkUpload } from '../../../api/upload/validate';
import type { UploadWorkflowInput } from '../types';
import { deletePurpose, isSealed, seal, sealKeysOf, sourceUrlPurpose } from '../../seal';
import { isJsonObject } from '../../../api/json';
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

interface StartedAs<Input> {
  readonly workflowId: string;
  readonly runId: string;
  /** What the workflow was started as: `an upload`. */
  readonly noun: string;
  /** Fields that only such an input has. Temporal carries the rest as JSON. */
  readonly fields: readonly (keyof Input & string)[];
}

/**
 * The input with which a run was started. Read from the first event of its history, so that no worker is needed.
 * Rejects with `RequestRefused` if Temporal does not know the run (any more), and with `Internal` if it is another input.
 */
export async function startedInput<Input>(
  connection: TemporalConnection,
  { workflowId, runId, noun, fields }: StartedAs<Input>,
): Promise<Input> {
  const { client, namespace } = connection;
  const execution = { workflowId, runId };
  const { history } = await askTemporal(connection, workflowId, () =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await payloadReader(connection)(payloads);
  if (isJsonObject(input) && fields.every((field) => field in input)) return input as object as Input;
  throw new MediaServiceError('Internal', `${workflowId} was not started as ${noun}.`);
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
