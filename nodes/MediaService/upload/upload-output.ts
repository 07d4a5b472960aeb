import type { JsonObject } from '../../../api/json';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import type { UploadSession } from '../../../api/upload/session/session';
import type { LiveProgress } from '../../../temporal/client/upload-handle';
import { plainJson } from '../items';

/** How an upload ended well, as an item. */
export function resultJson(result: UploadResult): JsonObject {
  return plainJson(result);
}

export function progressJson(progress: LiveProgress): JsonObject {
  return plainJson(progress);
}

/** The session in the interface's words; `simplify` leaves out where storage keeps it and the single parts. */
export function sessionJson(session: UploadSession, simplify: boolean): JsonObject {
  const { raw, ...known } = session;
  const { parts, ...short } = plainJson(known);
  const count = Array.isArray(parts) ? parts.length : 0;
  if (simplify) return { ...short, partsRegistered: count };
  // Known fields win: the address of the file has lost its query there.
  return { ...raw, ...short, parts: parts ?? [] };
}
