import { MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import { isPassingRefusal } from '../../retry/retryable';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { parseSession } from '../answers/session-shape';
import { SECOND_READ_MS } from './arrival';
import type { UploadSession } from './session';
import { isUnknownSession, READ_SESSION as OPERATION } from './session';

/**
 * Reads an upload session. Idempotent: repeated after lost connections, 429 and 5xx, and once after a 401. Rejects with
 * the service's 400 (404) if it does not know the id. Rejects with a retryable error if a gateway answers, or if the
 * answer is no session, or another upload's. Rejects with `ValidationError` for an id that can't be part of an address. api.md, "GET
 * {upload_url}/upload/{uploadId}".
 */
export async function readSession(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const url = `${service.account.uploadUrl}/upload/${pathSegment('uploadId', uploadId)}`;
  const call = {
    operation: OPERATION,
    method: 'GET',
    url,
    accept: 'application/json',
    idempotent: true,
  } as const;
  const answer = await service.call({ ...call, signal }).catch((error: unknown) => {
    throw isPassingRefusal(error) ? passing(error) : error;
  });
  try {
    return parseSession(parseJson(OPERATION, answer), { operation: OPERATION, uploadId });
  } catch (error) {
    throw passing(error);
  }
}

/**
 * Reads a session that the service once confirmed. It counts as unknown only if the service says so twice, some seconds
 * apart: after the first time, it may only be starting again.
 */
export async function readKnownSession(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError && isUnknownSession(error.facts))) throw error;
    await service.clock.sleep(SECOND_READ_MS, signal);
    return readSession(service, uploadId, signal);
  }
}

/**
 * The session was started at this address. So an answer that is not the service's, such as a proxy's page, is
 * temporary.
 */
function passing(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const { code, message, facts } = error;
  const details = { ...facts.details, permanent: false };
  return new MediaServiceError(code, message, { ...facts, details }, { cause: error });
}
