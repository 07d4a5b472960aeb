import type { JsonObject } from '../../../api/json';
import type { UploadSession } from '../../../api/upload/session/session';
import type { UploadState } from '../../../temporal/client/upload-state';
import { plainJson } from '../items';

/** What an upload's output begins with. */
const FIRST = ['mediaId', 'uploadId', 'status', 'fileUrl', 'title', 'fileName'];
/** Beside these: what later nodes name the upload by, and what somebody must know. */
const SIMPLE = [...FIRST, 'workflowId', 'warning'];

/** What is known of an upload, as an item: the fields that most want first, and no others if `simplify` is set. */
export function uploadJson(known: object, simplify: boolean): JsonObject {
  const json = plainJson(known);
  const names = [...new Set([...SIMPLE, ...(simplify ? [] : Object.keys(json))])];
  return Object.fromEntries(names.flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])));
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
