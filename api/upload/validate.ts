import { ValidationError, wrongField } from '../errors';
import { isJsonObject, given } from '../json';
import { fileTypeOf } from './file-type';
import { jsonBytes } from './types';
import type { UploadRequest } from './types';
import { checkOptions } from '../options/option';
import { MEDIA_OPTIONS, UPLOAD_OPTIONS } from '../options/upload-options';
import { labelOf, MIN_AGE, parseS3Address } from './sources/source';
import type { HttpSource, PathSource, S3Source, SourceDescriptor } from './sources/source';
import { urlOfSource } from './sources/source-rules';

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
  for (const [key, value] of Object.entries<unknown>(media.tags ?? {})) {
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

const KINDS: readonly unknown[] = ['path', 'http', 's3'] satisfies SourceDescriptor['kind'][];

/** Throws a `ValidationError` that names the wrong field. */
export function checkSource(source: SourceDescriptor): void {
  const kind: unknown = source.kind;
  if (!KINDS.includes(kind)) {
    const known = KINDS.join(', ');
    throw new ValidationError('source', `the kind of source "${String(kind)}" is not known: ${known}`);
  }
  switch (source.kind) {
    case 'path':
      return checkPath(source);
    case 'http':
      return checkAddress(source);
    case 's3':
      return checkObject(source);
  }
}

function checkPath({ path, minAgeMs = 0 }: PathSource): void {
  if (typeof path !== 'string' || path.trim() === '') {
    throw new ValidationError('source.path', 'the path of the file is empty');
  }
  if (path.includes('\0')) {
    throw new ValidationError('source.path', 'the path of the file holds a NUL character');
  }
  if (!Number.isSafeInteger(minAgeMs) || minAgeMs < 0) {
    throw new ValidationError(MIN_AGE, 'the minimum age must be a whole number of ms, 0 or more');
  }
}

/** Whoever starts an upload checks the address before it is sealed. */
function checkAddress(source: HttpSource): void {
  const { hash = '', username = '', password = '' } = urlOfSource(source) ?? {};
  if (username !== '' || password !== '') {
    throw new ValidationError(
      'source',
      'the address holds a user name or a password',
      'Remove them; headers for sources come from a named secret.',
    );
  }
  if (hash === '') return;
  // No server sees it: of `Take #1.mp4` and `Take #2.mp4` it would send the same file.
  throw new ValidationError(
    'source',
    "the address holds a #, and what follows it isn't sent to a server",
    'Write # as %23 if it belongs to the name; otherwise remove it and what follows.',
  );
}

function checkObject({ bucket, key }: S3Source): void {
  if (typeof bucket !== 'string' || bucket.trim() === '') {
    throw new ValidationError('source.bucket', 'the name of the bucket is empty');
  }
  if (typeof key !== 'string' || key === '' || key.endsWith('/')) {
    throw new ValidationError(
      'source.key',
      'the source names a bucket or a folder, but no object',
      'Write it as s3://bucket/key.',
    );
  }
}

/** What an address does not say about its source. */
export interface AddressOptions {
  /** Name of the secret whose headers are sent with requests for http sources. */
  readonly secret?: string | undefined;
}

/**
 * Returns the source that an address names, such as `s3://bucket/key`. Undefined for a text without a scheme. Throws a
 * `ValidationError` for a scheme of no kind of source, and for an address that names none.
 */
export function addressedSource(text: string, options: AddressOptions): SourceDescriptor | undefined {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (scheme === 'http' || scheme === 'https') return httpSource(text, options);
  if (scheme === 's3') return s3Source(text);
  throw new ValidationError(
    'source',
    `sources of the kind ${scheme.slice(0, 20)}:// are not read`,
    'Name a path, an http(s) URL or s3://bucket/key.',
  );
}

function httpSource(url: string, { secret }: AddressOptions): HttpSource {
  if (!URL.canParse(url)) {
    throw new ValidationError(
      'source',
      'the address is not a URL',
      'Write it in full, as https://host/file.mp4.',
    );
  }
  const source: HttpSource = { kind: 'http', url, label: labelOf(url), ...given({ headersSecret: secret }) };
  checkAddress(source);
  return source;
}

function s3Source(text: string): S3Source {
  const { bucket, key } = parseS3Address(text, 'source') ?? { bucket: '', key: '' };
  const source: S3Source = { kind: 's3', bucket, key };
  checkObject(source);
  return source;
}
