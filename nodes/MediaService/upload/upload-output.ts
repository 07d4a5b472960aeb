import type { JsonObject } from '../../../api/json';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import type { UploadSession } from '../../../api/upload/session/session';
import type { UploadState } from '../../../temporal/client/upload-state';
import { plainJson } from '../items';

/** How an upload ended well, as an item. */
export function resultJson(result: UploadResult): JsonObject {
  return plainJson(result);
}

/** Where an upload stands; if no worker answered, what Temporal knows of it, with the reason. */
export function stateJson(state: UploadState): JsonObject {
  if ('progress' in state) return plainJson(state.progress);
  const { listing, heldUpBy } = state;
  return plainJson({ ...listing, heldUpBy });
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
