import { MediaServiceError } from '../../errors';
import { parseJson } from '../../answers/read-answer';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { parseSession } from '../answers/session-shape';
import type { UploadSession } from './session';

const OPERATION = 'upload session status';

/**
 * Reads an upload session. Idempotent: repeated after lost connections, 429 and 5xx, and once after a 401. Rejects with
 * the service's 400 (404) if it does not know the id. Rejects with a retryable `UnreadableAnswer` if the answer is no
 * session, or another upload's. Rejects with `ValidationError` for an id that can't be part of an address. api.md, "GET
 * {upload_url}/upload/{uploadId}".
 */
export async function readSession(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const answer = await service.call({
    operation: OPERATION,
    method: 'GET',
    url: `${service.account.uploadUrl}/upload/${pathSegment('uploadId', uploadId)}`,
    accept: 'application/json',
    idempotent: true,
    signal,
  });
  try {
    return parseSession(parseJson(OPERATION, answer), { operation: OPERATION, uploadId });
  } catch (error) {
    throw passing(error);
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
