import { isAbsolute, resolve } from 'node:path';
import { ValidationError } from '../api/errors';
import type { UploadRequest } from '../api/upload/request/upload-request';
import type { SourceDescriptor } from '../api/upload/sources/source';
import { fileNameOfUrl, labelOf } from '../api/upload/sources/source-label';
import { parseLocation } from '../files/location-text';
import type { ManifestRow } from './row';

/** What the rows of a manifest share about the location of their files. */
export interface RowContext {
  /** Absolute; relative paths start here. Unset: they are refused. */
  readonly folder?: string;
  /** The machine with the paths. Unset: every worker mounts them. */
  readonly host?: string;
  /** Name of the secret whose headers are sent with requests for http sources. */
  readonly secret?: string;
  /** The requester pays for S3 sources. */
  readonly requesterPays?: boolean;
}

export type RowRequest = Pick<UploadRequest, 'source' | 'media' | 'metadata'>;

/** Returns the upload that a row requests. Throws a `ValidationError` on `source` if that can't be read. */
export function rowRequest({ source, media, metadata }: ManifestRow, rowContext: RowContext): RowRequest {
  return { source: sourceOf(source, rowContext), media, ...(metadata === undefined ? {} : { metadata }) };
}

/** Reads a manifest's source: a path, an http(s) URL or `s3://bucket/key`. */
export function sourceOf(text: string, rowContext: RowContext): SourceDescriptor {
  if (text.trim() === '')
    throw wrong('the row names no source', 'Name a path, an http(s) URL or s3://bucket/key.');
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text) ?? [];
  switch (scheme.toLowerCase()) {
    case '':
      return pathSource(text, rowContext);
    case 'http':
    case 'https':
      return httpSource(text, rowContext);
    case 's3':
      return s3Source(text, rowContext);
    default:
      throw wrong(
        `sources of the kind ${scheme.slice(0, 20)}:// are not read`,
        'Name a path, an http(s) URL or s3://bucket/key.',
      );
  }
}

/** Returns the name whose extension shows the file type; undefined for an address that ends in a slash. */
export function sourceFileName(source: SourceDescriptor): string | undefined {
  switch (source.kind) {
    case 'path':
      return source.path;
    case 's3':
      return source.key;
    case 'http':
      return fileNameOfUrl(String(source.url));
  }
}

function pathSource(text: string, { folder, host }: RowContext): SourceDescriptor {
  if (text.includes('\0')) throw wrong('the path holds a NUL character');
  // As a path, it would show its query.
  if (/^\s*https?:/i.test(text))
    throw wrong(
      'the address is not written in full',
      'Write it as https://host/file.mp4, with nothing before it.',
    );
  if (folder === undefined && !isAbsolute(text)) {
    throw wrong('the path is relative, and no folder is set', 'Write it in full.');
  }
  const path = folder === undefined ? text : resolve(folder, text);
  return { kind: 'path', path, ...(host === undefined ? {} : { host }) };
}

function httpSource(url: string, { secret }: RowContext): SourceDescriptor {
  if (!URL.canParse(url))
    throw wrong('the address is not a URL', 'Write it in full, as https://host/file.mp4.');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw wrong(
      'the address holds a user name or a password',
      'Leave them out; headers for sources come from a named secret.',
    );
  }
  return {
    kind: 'http',
    url,
    label: labelOf(url),
    ...(secret === undefined ? {} : { headersSecret: secret }),
  };
}

function s3Source(text: string, { requesterPays }: RowContext): SourceDescriptor {
  const object = parseLocation(text, { cwd: '/', field: 'source' });
  if (object.kind !== 's3' || object.key === '' || object.key.endsWith('/')) {
    throw wrong('the address names a bucket or a folder, but no object', 'Write it as s3://bucket/key.');
  }
  return { ...object, ...(requesterPays === true ? { requesterPays } : {}) };
}

function wrong(message: string, hint?: string): ValidationError {
  return new ValidationError('source', message, hint);
}
