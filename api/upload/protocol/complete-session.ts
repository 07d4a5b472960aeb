import { MediaServiceError, wrongSetting } from '../../errors';
import type { ConfigurationError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import type { ServiceAnswer } from '../../answers/read-answer';
import { isPassingRefusal } from '../../retry';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import {
  passing,
  readKnownSession,
  readTwice,
  arrivalOf,
  completeAmbiguous,
  unquoted,
  readAfterSending,
} from './session';
import type { UploadSession } from './session';
import type { CompleteInput } from '../types';
import { filledJson } from '../../json';
import type { JsonValue } from '../../json';

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
  const { mayHaveBeenSent = false } = input;
  const session = await (mayHaveBeenSent ? readTwice : readKnownSession)(service, uploadId, signal);
  const arrival = arrivalOf(session.status);
  if (arrival === 'arrived') return session;
  if (mayHaveBeenSent && arrival === 'unknown') throw completeAmbiguous(uploadId, session.status);
  return sendOnce({ service, uploadId, body, signal }, session);
}

interface Sending {
  readonly service: Service;
  readonly uploadId: string;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** An earlier request may have succeeded, so a refusal counts only after a read. */
async function sendOnce(sending: Sending, before: UploadSession, isRenewed = false): Promise<UploadSession> {
  const { service, uploadId, body, signal } = sending;
  try {
    const answer = await service.call({
      operation: OPERATION,
      method: 'POST',
      url: `${service.account.uploadUrl}/upload/${pathSegment('uploadId', uploadId)}/complete`,
      body,
      idempotent: false,
      signal,
    });
    return acceptedOf(answer, before);
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

/**
 * A 202 means PENDING_COMPLETE, whatever its body shows: only a read of the session says how it ended. The body is not
 * documented. One that is not JSON does not come from the service and proves nothing: `UnreadableAnswer`, ambiguous.
 */
function acceptedOf(answer: ServiceAnswer, before: UploadSession): UploadSession {
  if (answer.text.trim() !== '') parseJson(OPERATION, answer);
  return { ...before, status: 'PENDING_COMPLETE' };
}

/** An array with one pattern of a part. */
const PATTERN = /\[([^[\]]*\{(?:partNumber|eTag)\}[^[\]]*)\]/;

/**
 * Fills the template of the body of `complete`: parts ascending, ETags unquoted. `{parts}` becomes the array of
 * `{partNumber, eTag}`, `{uploadId}` the id. For other field names, an array with a single pattern represents all
 * parts: `{"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}`. Throws a `ConfigurationError` for a template that is
 * not JSON or lacks the parts.
 */
export function completeBody(template: string, { uploadId, parts }: CompleteInput): string {
  const ascending = [...parts]
    .sort((one, other) => one.partNumber - other.partNumber)
    .map(({ partNumber, eTag }) => ({ partNumber, eTag: unquoted(eTag) }));
  const pattern = PATTERN.exec(template)?.[1];
  if (pattern === undefined && !template.includes('{parts}')) throw malformed('lacks {parts}');
  const all =
    pattern === undefined
      ? ascending
      : ascending.map((part) => parsed(filledJson(pattern, { uploadId, ...part })));
  const whole = pattern === undefined ? template : template.replace(PATTERN, '{parts}');
  return JSON.stringify(parsed(filledJson(whole, { uploadId, parts: all })));
}

/** Throws a `ConfigurationError` for a template that `completeBody` can't fill. */
export function checkTemplate(template: string): void {
  completeBody(template, { uploadId: 'id', parts: [{ partNumber: 1, eTag: 'tag' }] });
}

function parsed(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    throw malformed('is not JSON once its placeholders are filled in');
  }
}

function malformed(what: string): ConfigurationError {
  const forms = '{"parts":{parts}} or {"parts":[{"PartNumber":{partNumber},"ETag":{eTag}}]}';
  return wrongSetting('completeBody', what, `Write it as ${forms}.`);
}
