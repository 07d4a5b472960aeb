import { ConfigurationError, MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import type { ServiceAnswer } from '../../answers/read-answer';
import { isPassingRefusal } from '../../retry';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { unquoted } from '../answers/session-shape';
import { passing, readKnownSession } from './poll-session';
import { isAccepted, SECOND_READ_MS } from './session';
import type { UploadSession } from './session';
import type { CompleteInput } from '../upload-steps';
import { isJsonObject } from '../../json';
import type { JsonObject, JsonValue } from '../../json';

const OPERATION = 'upload complete';

/**
 * Asks the service to complete a session and returns the session once it is accepted. It reads the session first, and
 * sends nothing if `complete` has arrived. Parts are sent ascending, ETags unquoted, in the body from
 * `options.completeBody`. api.md, "POST {upload_url}/upload/{uploadId}/complete".
 *
 * It sends once; after a 401 it reads again, which renews the token, and sends once more. Who drives it may try again,
 * and sets `mayHaveBeenSent`. Rejects with:
 * - the service's refusal, after a read that shows that the session is not accepted;
 * - an error that can be retried if the answer was lost, was not the service's, or was a conflict;
 * - `CompleteAmbiguous` if the session does not show whether `complete` arrived.
 */
export async function completeSession(
  service: Service,
  input: CompleteInput,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const { uploadId } = input;
  const body = completeBody(service.options.completeBody, input);
  const read = input.mayHaveBeenSent === true ? readAfterAmbiguity : readKnownSession;
  const session = await read(service, uploadId, signal);
  return arrivalOf(session.status) === 'arrived'
    ? session
    : sendOnce({ service, uploadId, body, signal }, session);
}

interface Sending {
  readonly service: Service;
  readonly uploadId: string;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** An earlier request may have succeeded, so a refusal counts only after a read. */
async function sendOnce(sending: Sending, before: UploadSession, isRenewed = false): Promise<UploadSession> {
  const { service, uploadId, signal } = sending;
  try {
    return acceptedOf(await send(sending), before);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.facts.operation === 'login') throw error;
    // The session was started at this address. So an answer that is not the service's is temporary.
    if (error.outcome === 'ambiguous') throw passing(error);
    const { status = 0 } = error.facts;
    if (status < 400 || error.code === 'RateLimited') throw error;
    const session = await readAfterSending(service, uploadId, signal);
    const arrival = arrivalOf(session.status);
    if (arrival === 'arrived') return session;
    if (error.code !== 'Unauthorized' || isRenewed) throw isPassingRefusal(error) ? passing(error) : error;
    if (arrival === 'unknown') throw completeAmbiguous(uploadId, session.status, error);
    return sendOnce(sending, session, true);
  }
}

function send({ service, uploadId, body, signal }: Sending): Promise<ServiceAnswer> {
  return service.call({
    operation: OPERATION,
    method: 'POST',
    url: `${service.account.uploadUrl}/upload/${pathSegment('uploadId', uploadId)}/complete`,
    body,
    accept: 'application/json',
    idempotent: false,
    signal,
  });
}

/**
 * A 202 means PENDING_COMPLETE, whatever its body shows: only a read of the session says how it ended. The body is not
 * documented. One that is not JSON does not come from the service and proves nothing: `UnreadableAnswer`, ambiguous.
 */
function acceptedOf(answer: ServiceAnswer, before: UploadSession): UploadSession {
  if (answer.text.trim() !== '') parseJson(OPERATION, answer);
  return { ...before, status: 'PENDING_COMPLETE' };
}

const PLACEHOLDERS = ['parts', 'uploadId', 'partNumber', 'eTag'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];
type Values = Readonly<Partial<Record<Placeholder, JsonValue>>>;

/** Replaces a placeholder while the template is parsed as JSON. No key or text of a template starts with it. */
const MARK = '\u0000';

/**
 * Fills the template of the body of `complete`: parts ascending, ETags unquoted. `{parts}` becomes the array of
 * `{partNumber, eTag}`, `{uploadId}` the id. For other field names, an array with a single pattern represents all
 * parts: `{"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}`. Throws a `ConfigurationError` for a template that is
 * not JSON or lacks the parts.
 */
export function completeBody(template: string, { uploadId, parts }: CompleteInput): string {
  const pattern = parseTemplate(template);
  const ascending = [...parts]
    .sort((one, other) => one.partNumber - other.partNumber)
    .map(({ partNumber, eTag }) => ({ partNumber, eTag: unquoted(eTag) }));
  return JSON.stringify(fill(pattern, { uploadId, parts: ascending }, ascending));
}

function parseTemplate(template: string): JsonValue {
  let marked = template;
  for (const name of PLACEHOLDERS) {
    const mark = JSON.stringify(`${MARK}${name}`);
    marked = marked.replaceAll(`"{${name}}"`, mark).replaceAll(`{${name}}`, mark);
  }
  const each = template.includes('{partNumber}') && template.includes('{eTag}');
  if (!template.includes('{parts}') && !each) throw malformed('lacks {parts}');
  try {
    return JSON.parse(marked) as JsonValue;
  } catch {
    throw malformed('is not JSON once its placeholders are filled in');
  }
}

function fill(pattern: JsonValue, values: Values, parts: readonly JsonObject[]): JsonValue {
  if (typeof pattern === 'string' && pattern.startsWith(MARK)) return valueOf(pattern, values);
  if (Array.isArray(pattern)) {
    const [only] = pattern;
    return only !== undefined && pattern.length === 1 && isOfPart(only)
      ? parts.map((part) => fill(only, { ...values, ...part }, parts))
      : pattern.map((child) => fill(child, values, parts));
  }
  if (!isJsonObject(pattern)) return pattern;
  return Object.fromEntries(Object.entries(pattern).map(([key, child]) => [key, fill(child, values, parts)]));
}

function valueOf(marked: string, values: Values): JsonValue {
  const name = PLACEHOLDERS.find((one) => marked === `${MARK}${one}`);
  const value = name === undefined ? undefined : values[name];
  if (value !== undefined) return value;
  throw malformed('has {partNumber} or {eTag} outside of an array with one pattern');
}

function isOfPart(pattern: JsonValue): boolean {
  const text = JSON.stringify(pattern);
  return ['partNumber', 'eTag'].some((name) => text.includes(JSON.stringify(`${MARK}${name}`)));
}

function malformed(what: string): ConfigurationError {
  return new ConfigurationError(
    'completeBody',
    `the template of the body of complete ${what}`,
    'Write it as {"parts":{parts}} or {"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}.',
  );
}

/**
 * Reads the session after a `complete` that may have arrived: twice, some seconds apart, unless the first read shows
 * that it did. It may be sent again only if both reads say that it did not arrive. Rejects with `CompleteAmbiguous` if
 * the session does not show it.
 */
async function readAfterAmbiguity(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const first = await readAfterSending(service, uploadId, signal);
  if (arrivalOf(first.status) === 'arrived') return first;
  await service.clock.sleep(SECOND_READ_MS, signal);
  const second = await readAfterSending(service, uploadId, signal);
  if (arrivalOf(second.status) === 'unknown') throw completeAmbiguous(uploadId, second.status);
  return second;
}

/**
 * Reads the session after a `complete` was sent. If the read fails, the error is ambiguous: nobody knows whether
 * `complete` arrived.
 */
async function readAfterSending(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readKnownSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'Cancelled') throw error;
    const { code, message, facts } = error;
    throw new MediaServiceError(code, message, { ...facts, outcome: 'ambiguous' }, { cause: error });
  }
}

/**
 * What the session's status says about a `complete` with an unknown answer. `arrived`: PENDING_COMPLETE, COMPLETED or
 * FAILED. `not-arrived`: INITIALIZED or PARTIAL. `unknown`: a status that the interface does not list.
 * docs/decisions/start-and-complete.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

export function arrivalOf(status: string): Arrival {
  if (isAccepted(status)) return 'arrived';
  return status === 'INITIALIZED' || status === 'PARTIAL' ? 'not-arrived' : 'unknown';
}

export function completeAmbiguous(uploadId: string, status: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'CompleteAmbiguous',
    `upload complete: its answer was lost, and the session's status ${status} does not say whether it arrived`,
    {
      operation: 'upload complete',
      outcome: 'ambiguous',
      hint: 'Read the session again later: PENDING_COMPLETE, COMPLETED or FAILED mean that complete arrived.',
      details: { uploadId, status },
    },
    { cause },
  );
}
