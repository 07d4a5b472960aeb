import type { JsonObject } from '../../../api/json';
import type { UploadSession } from '../../../api/upload/session/session';
import { plainJson } from '../items';

/** The first fields of an upload's output. */
const FIRST = ['mediaId', 'uploadId', 'status', 'fileUrl', 'title', 'fileName', 'fileType', 'bytes'];
/** These fields, and what later nodes or users need: the upload's id, its duration and its warning. */
const SIMPLE = [...FIRST, 'durationMs', 'workflowId', 'warning'];

/** The fields of an upload as an item, the most important first. With `simplify`, only those. */
export function uploadJson(known: object, simplify: boolean): JsonObject {
  const json = plainJson(known);
  const names = [...new Set([...SIMPLE, ...(simplify ? [] : Object.keys(json))])];
  return Object.fromEntries(names.flatMap((name) => (json[name] === undefined ? [] : [[name, json[name]]])));
}

/** The session with the interface's field names. `simplify` leaves out its storage location and the single parts. */
export function sessionJson({ parts, ...session }: UploadSession, simplify: boolean): JsonObject {
  if (!simplify) return plainJson({ ...session, parts });
  const { bucketName: _bucket, keyName: _key, s3UploadId: _id, ...short } = session;
  return { ...plainJson(short), partsRegistered: parts.length };
}
