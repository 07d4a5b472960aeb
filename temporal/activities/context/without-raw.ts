import type { UploadSession } from '../../../api/upload/session/session';

/**
 * A session as it may enter a history: without the answer's other fields, which nobody reads there and whose content (signed URLs,
 * for one) nobody can vouch for, and without its parts, which the upload knows better.
 */
export function withoutRaw(session: UploadSession): UploadSession {
  return { ...session, parts: [], raw: {} };
}
