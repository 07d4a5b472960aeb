import { isAbsolute, resolve } from 'node:path';
import { ValidationError } from '../api/errors';
import type { UploadRequest } from '../api/upload/types';
import type { PathSource, SourceDescriptor } from '../api/upload/sources/source';
import type { AddressOptions } from '../api/upload/validate';
import { addressedSource } from '../api/upload/validate';
import type { ManifestRow } from './row';

/** What the rows of a manifest share about the location of their files. */
export interface RowContext extends AddressOptions {
  /** Absolute; relative paths start here. Unset: they are refused. */
  readonly folder?: string;
  /** The machine with the paths. Unset: every worker mounts them. */
  readonly host?: string;
}

type RowRequest = Pick<UploadRequest, 'source' | 'media' | 'metadata'>;

/** Returns the upload that a row requests. Throws a `ValidationError` on `source` if that can't be read. */
export function rowRequest({ source, media, metadata }: ManifestRow, rowContext: RowContext): RowRequest {
  return { source: sourceOf(source, rowContext), media, ...(metadata === undefined ? {} : { metadata }) };
}

/** Reads a manifest's source: a path, an http(s) URL or `s3://bucket/key`. */
export function sourceOf(text: string, rowContext: RowContext): SourceDescriptor {
  if (text.trim() === '')
    throw wrong('the row names no source', 'Name a path, an http(s) URL or s3://bucket/key.');
  return addressedSource(text, rowContext) ?? pathSource(text, rowContext);
}

function pathSource(text: string, { folder, host }: RowContext): PathSource {
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

function wrong(message: string, hint?: string): ValidationError {
  return new ValidationError('source', message, hint);
}
