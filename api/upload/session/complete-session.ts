import { ConfigurationError, hasCode, MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import type { ServiceAnswer } from '../../answers/read-answer';
import { asksForLongWait, isPassingRefusal, retryDelayMs } from '../../retry';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { unquoted } from '../answers/session-shape';
import { readKnownSession } from './poll-session';
import { isAccepted } from './session';
import type { UploadSession } from './session';
import type { CompleteInput } from '../upload-steps';
import { isJsonObject } from '../../json';
import type { JsonObject, JsonValue } from '../../json';

const OPERATION = 'upload complete';
/**
 * How often one call of `completeSession` sends, each time after a read that shows no earlier arrival. After a 401 it
 * sends once more.
 */
const MAX_TRIES = 4;

/**
 * Asks the service to complete a session and returns the session once it is accepted. Repeatable: it reads the session
 * first, and sends nothing if `complete` has arrived. Parts are sent ascending, ETags unquoted, in the body from
 * `options.completeBody`. api.md, "POST {upload_url}/upload/{uploadId}/complete".
 *
 * Rejects with:
 * - the service's refusal (a 4xx only after a read that shows that the session is not accepted);
 * - `CompleteAmbiguous` if the session does not show whether `complete` arrived;
 * - the last error if every answer was lost.
 */
export async function completeSession(
  service: Service,
  input: CompleteInput,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const { uploadId } = input;
  const body = completeBody(service.options.completeBody, input);
  let session =
    input.mayHaveBeenSent === true
      ? await readAfterAmbiguity(service, uploadId, signal)
      : await readKnownSession(service, uploadId, signal);
  let renewed = false;
  for (let tries = 1; arrivalOf(session.status) !== 'arrived'; tries += 1) {
    try {
      return acceptedOf(await send({ service, uploadId, body, signal }), session);
    } catch (error) {
      session = await afterFailure({ error, tries, renewed, service, uploadId, signal });
      renewed ||= hasCode(error, 'Unauthorized');
    }
  }
  return session;
}

interface Sending {
  readonly service: Service;
  readonly uploadId: string;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
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

interface FailedTry {
  readonly error: unknown;
  readonly tries: number;
  /** An earlier try met a 401. */
  readonly renewed: boolean;
  readonly service: Service;
  readonly uploadId: string;
  readonly signal: AbortSignal | undefined;
}

/** Returns the session after a failed try, if another try is allowed. Otherwise it rejects with the error. */
async function afterFailure(failed: FailedTry): Promise<UploadSession> {
  const { error, tries, service, uploadId, signal } = failed;
  if (!(error instanceof MediaServiceError) || signal?.aborted === true) throw error;
  const last = tries >= MAX_TRIES;
  const ofLogin = error.facts.operation === 'login';
  // A gateway's page, or a conflict, may hide any answer.
  if (!ofLogin && (error.outcome === 'ambiguous' || isPassingRefusal(error))) {
    const session = await readAfterAmbiguity(service, uploadId, signal);
    if (last && arrivalOf(session.status) !== 'arrived') throw error;
    return session;
  }
  if (!ofLogin && isRefusal(error)) return afterRefusal(error, failed);
  if (last || !isPassing(error) || (service.waitsLong === false && asksForLongWait(error))) throw error;
  await service.clock.sleep(retryDelayMs(error, tries), signal);
  return readKnownSession(service, uploadId, signal);
}

/**
 * An earlier request may have succeeded, so a refusal counts only after a read. The read after a first 401 renews the
 * token for one more try.
 */
async function afterRefusal(
  refusal: MediaServiceError,
  { renewed, service, uploadId, signal }: FailedTry,
): Promise<UploadSession> {
  const session = await readAfterSending(service, uploadId, signal);
  const arrival = arrivalOf(session.status);
  if (arrival === 'arrived') return session;
  if (!hasCode(refusal, 'Unauthorized') || renewed) throw refusal;
  if (arrival === 'unknown') throw completeAmbiguous(uploadId, session.status, refusal);
  return session;
}

/** Returns whether it is a 4xx that would be the same next time. */
function isRefusal({ code, outcome, facts: { status = 0 } }: MediaServiceError): boolean {
  return status >= 400 && status < 500 && outcome === 'refused' && code !== 'RateLimited';
}

function isPassing({ code }: MediaServiceError): boolean {
  return code === 'RateLimited' || code === 'Transport' || code === 'ServiceFailed';
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
 * docs/decisions/0002.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

/** Pause between the two reads that show that a `complete` did not arrive, ms. It may still be on its way. */
export const SECOND_READ_MS = 5_000;

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
