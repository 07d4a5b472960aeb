import type { Service } from '../../../../api/service/service';
import { pollToTheEnd } from '../../../../api/upload/direct/poll-to-the-end';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../../api/upload/request/upload-request';
import { processingFailed } from '../../../../api/upload/session/processing-failed';
import { readSession } from '../../../../api/upload/session/session-status';
import type { UploadSession } from '../../../../api/upload/session/session';

/**
 * The session after it is COMPLETED. Rejects with the service's reason if it is FAILED, and at once for an unknown id.
 */
export async function awaitSession(
  service: Service,
  uploadId: string,
  signal: AbortSignal | undefined,
): Promise<UploadSession> {
  await readSession(service, uploadId, signal);
  const { processingLimitMs: limitMs } = DEFAULT_UPLOAD_OPTIONS;
  const hooks = signal === undefined ? {} : { signal };
  const session = await pollToTheEnd(service, { uploadId, completedAt: service.clock.now(), limitMs }, hooks);
  if (session.status === 'FAILED') throw processingFailed(session);
  return session;
}
