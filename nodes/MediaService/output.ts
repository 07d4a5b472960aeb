import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isJsonObject } from '../../api/json';
import type { JsonObject } from '../../api/json';
import type { UploadSession } from '../../api/upload/protocol/session';

/** The object as an output item, paired with the input item. */
export function itemOf(json: JsonObject, itemIndex: number): INodeExecutionData {
  const data: IDataObject = json;
  return { json: data, pairedItem: { item: itemIndex } };
}

/** The value as plain JSON for an item: dates as ISO 8601, without unset fields. */
export function plainJson(value: object): JsonObject {
  const json: unknown = JSON.parse(JSON.stringify(value));
  return isJsonObject(json) ? json : {};
}

const SIMPLE_FIELDS = [
  ...['id', 'mediaId', 'title', 'type', 'fileType', 'tags', 'isLibrary', 'isActive', 'creator', 'duration'],
  'createdAt',
];

/** A media item. With `simplify`, only the fields that most users need, or all of an unknown shape. */
export function mediaJson(media: JsonObject, simplify: boolean): JsonObject {
  const kept = Object.entries(media).filter(([name]) => SIMPLE_FIELDS.includes(name));
  return simplify && kept.length > 0 ? Object.fromEntries(kept) : media;
}

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
