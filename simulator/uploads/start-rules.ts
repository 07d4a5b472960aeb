import { refuseUnless } from '../http/answer';
import { readCount, refuseUnknownFields } from '../http/request-body';
import { type Json, type JsonRecord, isJsonRecord } from '../json';
import { EXTENSIONS, type MediaType } from '../media/media-item';

/** A valid start request. */
export type StartRequest = ReturnType<typeof readStart>;

/** "amountOfParts: 1 to 120" (api.md, Limits). */
const MAX_PARTS = 120;
const WRONG_AMOUNT = `amountOfParts must be a whole number from 1 to ${MAX_PARTS}.`;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const RESERVED_METADATA = ['failureReason', 'failureTimestamp'];
const MEDIA_FIELDS = ['fileType', 'creator', 'title', 'duration', 'resolution', 'tags', 'insights'];

/**
 * Checks a start request against api.md, "POST {upload_url}/upload/start".
 * @throws Refusal 400 naming the field.
 */
export function readStart(body: JsonRecord, metadataInMedia: boolean) {
  const own = ['amountOfParts', 'media'];
  refuseUnknownFields(body, metadataInMedia ? own : [...own, 'metadata'], 'The start request');
  const { media } = body;
  refuseUnless(isJsonRecord(media), 'media is required and must be an object.');
  refuseUnknownFields(media, metadataInMedia ? [...MEDIA_FIELDS, 'metadata'] : MEDIA_FIELDS, 'media');
  const metadata = metadataOf((metadataInMedia ? media : body)['metadata']);
  const tags = tagsOf(media['tags']);
  const bytes = Buffer.byteLength(JSON.stringify([tags, metadata]));
  refuseUnless(bytes <= MAX_DOCUMENT_BYTES, 'tags and metadata exceed the document limit of 16 MB.');
  return {
    amountOfParts: readCount(body['amountOfParts'], MAX_PARTS, WRONG_AMOUNT),
    ...fileTypeOf(media['fileType']),
    creator: optional(media['creator'], isCreator, 'media.creator must be text of at most 255 characters.'),
    title: optional(media['title'], isText, 'media.title must be text.'),
    duration: optional(media['duration'], isMs, 'media.duration must be a whole number of milliseconds.'),
    resolution:
      optional(media['resolution'], isResolution, 'media.resolution must be LOW, NORMAL or HIGH.') ??
      'NORMAL',
    tags,
    ...insightsOf(media['insights']),
    metadata,
  };
}

function fileTypeOf(value: Json | undefined): { fileType: string; type: MediaType; mime: string } {
  const fileType = typeof value === 'string' ? value : '';
  const kind = EXTENSIONS.get(fileType);
  refuseUnless(kind !== undefined, `media.fileType must be one of ${[...EXTENSIONS.keys()].join(', ')}.`);
  return { fileType, ...kind };
}

const isText = (value: Json): value is string => typeof value === 'string';
const isCreator = (value: Json): value is string => isText(value) && [...value].length <= 255;
const isMs = (value: Json): value is number => Number.isInteger(value) && Number(value) >= 0;
const isResolution = (value: Json): value is string => ['LOW', 'NORMAL', 'HIGH'].some((one) => one === value);

function optional<T extends Json>(
  value: Json | undefined,
  fits: (value: Json) => value is T,
  refusal: string,
): T | null {
  if (value === undefined) return null;
  refuseUnless(fits(value), refusal);
  return value;
}

function tagsOf(value: Json = {}): JsonRecord {
  refuseUnless(isJsonRecord(value), 'media.tags must be an object of key-value entries.');
  for (const [key, tag] of Object.entries(value))
    refuseUnless(typeof tag !== 'object', `media.tags: the value of "${key}" is not text, number or flag.`);
  return value;
}

function insightsOf(insights: Json = {}): { isLibrary: boolean; includeInReport: boolean } {
  refuseUnless(isJsonRecord(insights), 'media.insights must be an object.');
  refuseUnknownFields(insights, ['isLibrary', 'includeInReport'], 'media.insights');
  const { isLibrary = false, includeInReport = true } = insights;
  const areFlags = typeof isLibrary === 'boolean' && typeof includeInReport === 'boolean';
  refuseUnless(areFlags, 'media.insights holds true or false only.');
  return { isLibrary, includeInReport };
}

function metadataOf(value: Json = {}): JsonRecord {
  refuseUnless(isJsonRecord(value), 'metadata must be an object.');
  const reserved = RESERVED_METADATA.filter((key) => Object.hasOwn(value, key));
  refuseUnless(reserved.length === 0, `metadata: the keys ${reserved.join(', ')} are reserved.`);
  return value;
}
