import type { UploadSession } from '../../../api/upload/session/session';

/**
 * A session that may enter a history, without raw fields and parts. Nobody reads the raw fields there, and they may
 * contain signed URLs. The upload knows its parts better.
 */
export function withoutRaw(session: UploadSession): UploadSession {
  return { ...session, parts: [], raw: {} };
}
