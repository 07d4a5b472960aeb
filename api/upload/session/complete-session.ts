import { hasCode, MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import { asksForLongWait, retryDelayMs } from '../../retry/retry-delay';
import type { ServiceAnswer } from '../../answers/read-answer';
import { isPassingRefusal } from '../../retry/retryable';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { findSession } from '../answers/session-shape';
import { completeBody } from './complete-body';
import { arrivalOf, completeAmbiguous } from './arrival';
import { readAfterAmbiguity, readAfterSending } from './complete-ambiguity';
import { readKnownSession } from './session-status';
import type { UploadSession } from './session';
import type { CompleteInput } from '../upload-steps';

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
 * A 202 means PENDING_COMPLETE, whatever status its body shows: only a read of the session says how it ended. The body
 * is not documented. One that is not JSON does not come from the service and proves nothing: `UnreadableAnswer`,
 * ambiguous.
 */
function acceptedOf(answer: ServiceAnswer, before: UploadSession): UploadSession {
  const session =
    answer.text.trim() === '' ? undefined : findSession(parseJson(OPERATION, answer), before.uploadId);
  return { ...(session ?? before), status: 'PENDING_COMPLETE' };
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
