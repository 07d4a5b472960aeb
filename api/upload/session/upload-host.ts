import { randomUUID } from 'node:crypto';
import { MediaServiceError } from '../../errors';
import type { Service } from '../../service/service';

const OPERATION = 'upload host';

/**
 * Resolves once the upload host shows that it serves requests. It asks for an upload session that does not exist, which
 * changes nothing there. Any answer but 408, 429 and 5xx counts. Rejects with
 * the failure: `Transport`, `ServiceFailed` and `RateLimited` may be temporary; `LoginRefused` means that the host
 * was not asked. api.md, "GET {upload_url}/upload/{uploadId}".
 */
export async function requireUploadHost(service: Service, signal?: AbortSignal): Promise<void> {
  try {
    await service.call({
      operation: OPERATION,
      method: 'GET',
      url: `${service.account.uploadUrl}/upload/${randomUUID()}`,
      accept: 'application/json',
      idempotent: true,
      signal,
    });
  } catch (error) {
    if (!isAnswer(error)) throw error;
  }
}

function isAnswer(error: unknown): boolean {
  if (!(error instanceof MediaServiceError)) return false;
  const { operation, status } = error.facts;
  if (operation !== OPERATION || status === undefined) return false;
  return status < 500 && status !== 408 && status !== 429;
}
