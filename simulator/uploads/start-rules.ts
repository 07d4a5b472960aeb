import { Refusal } from '../http/answer';
import { refuseUnknownFields } from '../http/request-body';
import { type Json, type JsonRecord, isJsonRecord } from '../json';
import { EXTENSIONS, type MediaType } from '../media/media-item';

/** A valid start request. */
export type StartRequest = ReturnType<typeof readStart>;

/** "amountOfParts: 1 to 120" (api.md, Limits). */
const MAX_PARTS = 120;
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
  if (!isJsonRecord(media)) throw new Refusal(400, 'media is required and must be an object.');
  refuseUnknownFields(media, metadataInMedia ? [...MEDIA_FIELDS, 'metadata'] : MEDIA_FIELDS, 'media');
  const metadata = metadataOf((metadataInMedia ? media : body)['metadata']);
  const tags = tagsOf(media['tags']);
  if (Buffer.byteLength(JSON.stringify([tags, metadata])) > MAX_DOCUMENT_BYTES) {
    throw new Refusal(400, 'tags and metadata exceed the document limit of 16 MB.');
  }
  return {
    amountOfParts: amountOf(body['amountOfParts']),
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

function amountOf(value: Json | undefined): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_PARTS) {
    throw new Refusal(400, `amountOfParts must be a whole number from 1 to ${MAX_PARTS}.`);
  }
  return value;
}

function fileTypeOf(value: Json | undefined): { fileType: string; type: MediaType; mime: string } {
  const fileType = typeof value === 'string' ? value : '';
  const kind = EXTENSIONS.get(fileType);
  if (kind === undefined)
    throw new Refusal(400, `media.fileType must be one of ${[...EXTENSIONS.keys()].join(', ')}.`);
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
  if (!fits(value)) throw new Refusal(400, refusal);
  return value;
}

function tagsOf(value: Json | undefined): JsonRecord {
  if (value === undefined) return {};
  if (!isJsonRecord(value)) throw new Refusal(400, 'media.tags must be an object of key-value entries.');
  for (const [key, tag] of Object.entries(value)) {
    if (typeof tag === 'object')
      throw new Refusal(400, `media.tags: the value of "${key}" is not text, number or flag.`);
  }
  return value;
}

function insightsOf(value: Json | undefined): { isLibrary: boolean; includeInReport: boolean } {
  if (value !== undefined && !isJsonRecord(value))
    throw new Refusal(400, 'media.insights must be an object.');
  const insights = value ?? {};
  refuseUnknownFields(insights, ['isLibrary', 'includeInReport'], 'media.insights');
  const { isLibrary = false, includeInReport = true } = insights;
  if (typeof isLibrary !== 'boolean' || typeof includeInReport !== 'boolean') {
    throw new Refusal(400, 'media.insights holds true or false only.');
  }
  return { isLibrary, includeInReport };
}

function metadataOf(value: Json | undefined): JsonRecord {
  if (value === undefined) return {};
  if (!isJsonRecord(value)) throw new Refusal(400, 'metadata must be an object.');
  const reserved = RESERVED_METADATA.filter((key) => Object.hasOwn(value, key));
  if (reserved.length > 0) throw new Refusal(400, `metadata: the keys ${reserved.join(', ')} are reserved.`);
  return value;
}
