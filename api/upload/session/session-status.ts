import { parseJson } from '../../answers/read-answer';
import { pathSegment } from '../../service/encoded';
import type { Service } from '../../service/service';
import { parseSession } from '../answers/session-shape';
import type { UploadSession } from './session';

const OPERATION = 'upload session status';

/**
 * Reads an upload session. Idempotent: repeated on lost connections, 429, 5xx and once on 401. Rejects with the service's 400 (404)
 * where it does not know the id, with
 * `UnreadableAnswer` if it answers with another session, and with `ValidationError` for an id that can't be part of an address. api.md, "GET {upload_url}/upload/{uploadId}".
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
  return parseSession(parseJson(OPERATION, answer), { operation: OPERATION, uploadId });
}
