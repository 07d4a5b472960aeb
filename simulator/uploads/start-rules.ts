import { Refusal } from '../http/answer';
import { refuseUnknownFields } from '../http/request-body';
import { type Json, type JsonRecord, isJsonRecord } from '../json';
import { EXTENSIONS, type MediaType } from '../media/media-item';

/** A valid start request. */
export interface StartRequest {
  readonly amountOfParts: number;
  readonly fileType: string;
  readonly type: MediaType;
  readonly mime: string;
  readonly creator: string | null;
  readonly title: string | null;
  readonly duration: number | null;
  readonly resolution: string;
  readonly tags: JsonRecord;
  readonly isLibrary: boolean;
  readonly includeInReport: boolean;
  readonly metadata: JsonRecord;
}

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const RESERVED_METADATA = ['failureReason', 'failureTimestamp'];
const MEDIA_FIELDS = ['fileType', 'creator', 'title', 'duration', 'resolution', 'tags', 'insights'];

interface StartRules {
  readonly maxParts: number;
  readonly metadataInMedia: boolean;
}

/**
 * Checks a start request against api.md, "POST {upload_url}/upload/start".
 * @throws Refusal 400 naming the field.
 */
export function readStart(body: JsonRecord, rules: StartRules): StartRequest {
  const { metadataInMedia } = rules;
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
    amountOfParts: amountOf(body['amountOfParts'], rules.maxParts),
    ...fileTypeOf(media['fileType']),
    creator: creatorOf(media['creator']),
    title: optionalText('media.title', media['title']),
    duration: durationOf(media['duration']),
    resolution: resolutionOf(media['resolution']),
    tags,
    ...insightsOf(media['insights']),
    metadata,
  };
}

function amountOf(value: Json | undefined, maxParts: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maxParts) {
    throw new Refusal(400, `amountOfParts must be a whole number from 1 to ${maxParts}.`);
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

function optionalText(name: string, value: Json | undefined): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') throw new Refusal(400, `${name} must be text.`);
  return value;
}

function creatorOf(value: Json | undefined): string | null {
  const creator = optionalText('media.creator', value);
  if (creator !== null && [...creator].length > 255) {
    throw new Refusal(400, 'media.creator must not be longer than 255 characters.');
  }
  return creator;
}

function durationOf(value: Json | undefined): number | null {
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new Refusal(400, 'media.duration must be a whole number of milliseconds.');
  }
  return value;
}

function resolutionOf(value: Json | undefined): string {
  if (value === undefined) return 'NORMAL';
  if (value !== 'LOW' && value !== 'NORMAL' && value !== 'HIGH') {
    throw new Refusal(400, 'media.resolution must be LOW, NORMAL or HIGH.');
  }
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
