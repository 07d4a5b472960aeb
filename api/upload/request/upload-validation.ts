import { ValidationError, wrongField } from '../../errors';
import { isJsonObject } from '../../json';
import { fileTypeOf } from './file-type';
import { jsonBytes } from './upload-request';
import type { UploadRequest } from './upload-request';
import { checkOptions } from '../../options/option';
import { MEDIA_OPTIONS, UPLOAD_OPTIONS } from '../../options/upload-options';
import { checkSource } from '../sources/source-rules';

/** api.md, "Limits": tags and metadata. */
const MAX_TAGS_AND_METADATA_BYTES = 16_000_000;
/** api.md, "metadata object": reserved for the service's own tracking. */
const RESERVED_METADATA: readonly string[] = ['failureReason', 'failureTimestamp'];

/**
 * Checks everything that can be known before a byte is read against the interface's rules. Returns the request with its
 * file type in the interface's spelling. Throws a `ValidationError` whose `facts.field` names the wrong field. Pure.
 * api.md, "Upload start request", "Limits".
 */
export function checkUpload(request: UploadRequest): UploadRequest {
  checkSource(request.source);
  if (typeof request.ingestKey !== 'string') throw wrongField('ingestKey', 'must be a text');
  if (request.ingestKey.trim() === '') throw new ValidationError('ingestKey', 'the ingest key is empty');
  checkMedia(request.media);
  checkMetadata(request);
  checkOptions(UPLOAD_OPTIONS, request.options);
  const { fileType } = request.media;
  if (fileType === undefined || fileType.trim() === '') return request;
  return { ...request, media: { ...request.media, fileType: fileTypeOf({ fileType }) } };
}

function checkMedia(media: UploadRequest['media']): void {
  checkOptions(MEDIA_OPTIONS, media, '');
  for (const [name, flag] of Object.entries<unknown>(media.insights ?? {})) {
    if (flag !== undefined && typeof flag !== 'boolean') {
      throw wrongField(`insights.${name}`, 'must be true or false');
    }
  }
  checkTags(media.tags);
}

function checkTags(tags: UploadRequest['media']['tags']): void {
  if (tags === undefined) return;
  if (!isJsonObject(tags)) throw wrongField('tags', 'must be an object of keys and values');
  for (const [key, value] of Object.entries<unknown>(tags)) {
    if (typeof value !== 'string')
      throw new ValidationError(`tags.${key}`, `the tag "${key}" must be a text`);
  }
}

function checkMetadata({ media, metadata }: UploadRequest): void {
  if (metadata !== undefined && !isJsonObject(metadata)) {
    throw wrongField('metadata', 'must be a JSON object');
  }
  const reserved = Object.keys(metadata ?? {}).find((key) => RESERVED_METADATA.includes(key));
  if (reserved !== undefined) {
    throw new ValidationError(
      `metadata.${reserved}`,
      `the metadata key "${reserved}" is reserved by the service`,
      'Choose another key.',
    );
  }
  const bytes = jsonBytes(media.tags ?? {}) + jsonBytes(metadata ?? {});
  if (bytes > MAX_TAGS_AND_METADATA_BYTES) {
    throw new ValidationError(
      'metadata',
      `tags and metadata have ${bytes} bytes, the service takes at most ${MAX_TAGS_AND_METADATA_BYTES}`,
      'Keep large data elsewhere and put its address into the metadata.',
    );
  }
}
