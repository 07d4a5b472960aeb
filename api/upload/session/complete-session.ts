import { MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import { retryDelayMs } from '../../retry/retry-delay';
import type { ServiceAnswer } from '../../answers/service-answer';
import type { Service } from '../../service/service';
import { findSession } from '../answers/session-shape';
import { completeBody } from './complete-body';
import { arrivalOf, completeAmbiguous, readAfterAmbiguity } from './complete-ambiguity';
import { readSession } from './session-status';
import type { UploadSession } from './session';
import type { CompleteInput } from '../upload-steps';

const OPERATION = 'upload complete';
/** Times that one call of `completeSession` sends, each after a read that found it missing. */
const MOST_TRIES = 4;

/**
 * Asks the service to complete a session and returns it once that was accepted. Repeatable: the session is read first, and where it
 * says that `complete` arrived, nothing is sent. Parts go out ascending, ETags unquoted, in the body that `options.completeBody` describes.
 *
 * Rejects with the service's refusal (a 400 only after a read that found the session not accepted), with `CompleteAmbiguous` where the
 * session does not tell, with the last error where the answer was lost every time. api.md, "POST {upload_url}/upload/{uploadId}/complete".
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
      : await readSession(service, uploadId, signal);
  for (let tries = 1; arrivalOf(session.status) !== 'arrived'; tries += 1) {
    try {
      return acceptedOf(await send({ service, uploadId, body, signal }), session);
    } catch (error) {
      session = await afterFailure({ error, tries, service, uploadId, signal });
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
    url: `${service.account.uploadUrl}/upload/${encodeURIComponent(uploadId)}/complete`,
    body,
    accept: 'application/json',
    idempotent: false,
    signal,
  });
}

/**
 * The answer's body is not documented: where it holds no session, the 202 itself says PENDING_COMPLETE. A body that is no JSON does
 * not come from the service, so it says nothing: `UnreadableAnswer`, ambiguous.
 */
function acceptedOf(answer: ServiceAnswer, before: UploadSession): UploadSession {
  const session =
    answer.text.trim() === '' ? undefined : findSession(parseJson(OPERATION, answer), before.uploadId);
  if (session !== undefined && arrivalOf(session.status) === 'arrived') return session;
  return { ...before, status: 'PENDING_COMPLETE' };
}

interface FailedTry {
  readonly error: unknown;
  readonly tries: number;
  readonly service: Service;
  readonly uploadId: string;
  readonly signal: AbortSignal | undefined;
}

/** The session as it stands after a failed try, if that allows for another one; rejects with the error otherwise. */
async function afterFailure({ error, tries, service, uploadId, signal }: FailedTry): Promise<UploadSession> {
  if (!(error instanceof MediaServiceError) || signal?.aborted === true) throw error;
  const last = tries >= MOST_TRIES;
  if (error.facts.operation !== 'login' && error.outcome === 'ambiguous') {
    const session = await readAfterAmbiguity(service, uploadId, signal);
    if (last && arrivalOf(session.status) !== 'arrived') throw error;
    return session;
  }
  // After a 400 an earlier request may have won; after a 401 the read renews the token.
  const read = error.facts.status === 400 || (error.code === 'Unauthorized' && tries === 1);
  if (read) {
    const session = await readSession(service, uploadId, signal);
    const arrival = arrivalOf(session.status);
    if (arrival === 'arrived') return session;
    if (error.code !== 'Unauthorized') throw error;
    if (arrival === 'unknown') throw completeAmbiguous(uploadId, session.status, error);
    return session;
  }
  if (last || !isPassing(error)) throw error;
  await service.clock.sleep(retryDelayMs(error, tries), signal);
  return readSession(service, uploadId, signal);
}

function isPassing({ code }: MediaServiceError): boolean {
  return code === 'RateLimited' || code === 'Transport' || code === 'ServiceFailed';
}
