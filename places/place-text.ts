import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ValidationError } from '../api/errors';
import { s3Address } from '../api/s3/s3-objects';
import type { Place } from './place';

export interface PlaceReading {
  /** Where relative paths begin, absolute. */
  readonly cwd: string;
  /** The machine that paths lie on; unset: every worker mounts them. */
  readonly host?: string | undefined;
  /** What the text is called in errors. Default `place`. */
  readonly field?: string | undefined;
}

const S3 = /^s3:\/\/([^/]*)\/?(.*)$/is;
/** `s3:/bucket` is a mistake in typing; a folder of that name goes by `./s3:`. */
const OTHER_SCHEME = /^([a-z][a-z0-9+.-]+:\/\/|s3:)/i;

/**
 * Reads `s3://bucket/key`, `file:/abs/path`, `file:path` or a path; both kinds of path may be relative. Pure. Throws a `ValidationError` for other schemes, an empty text, and an address without a
 * bucket.
 */
export function parsePlace(text: string, { cwd, host, field = 'place' }: PlaceReading): Place {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('\0')) {
    throw new ValidationError(field, 'the place is empty or holds a NUL character', EXAMPLES);
  }
  const s3 = S3.exec(trimmed);
  if (s3 !== null) return s3Place(s3[1] ?? '', s3[2] ?? '', field);
  if (/^file:/i.test(trimmed)) return { kind: 'path', path: pathOfUrl(trimmed, cwd, field), ...hostOf(host) };
  if (OTHER_SCHEME.test(trimmed)) {
    throw new ValidationError(
      field,
      'this kind of address is no place that can be read and written',
      EXAMPLES,
    );
  }
  return { kind: 'path', path: path.resolve(cwd, trimmed), ...hostOf(host) };
}

/** The text that `parsePlace` reads back; the host of a path is not part of it. */
export function placeText(place: Place): string {
  return place.kind === 's3' ? s3Address(place) : place.path;
}

/** A file or folder below a place; `name` may have slashes. Throws a `ValidationError` where it would lead out of the folder. */
export function placeWithin<Folder extends Place>(folder: Folder, name: string): Folder;
export function placeWithin(folder: Place, name: string): Place {
  const steps = name.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..' || step.includes('\0'))) {
    throw new ValidationError('place', `"${name}" is no name within a folder`);
  }
  if (folder.kind === 'path') return { ...folder, path: path.join(folder.path, ...steps) };
  return { ...folder, key: folderPrefix(folder.key) + name };
}

/** The prefix of all keys below a folder: ends in a slash, or is empty for the whole bucket. */
export function folderPrefix(key: string): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

const EXAMPLES = 'Write s3://bucket/key, or a path.';

function s3Place(bucket: string, key: string, field: string): Place {
  if (!/^[a-z0-9][a-z0-9._-]+$/i.test(bucket)) {
    throw new ValidationError(field, 'the address names no bucket', EXAMPLES);
  }
  return { kind: 's3', bucket, key };
}

function pathOfUrl(text: string, cwd: string, field: string): string {
  try {
    if (/^file:$/i.test(text)) throw new TypeError('It names no path.');
    return path.resolve(fileURLToPath(new URL(text, pathToFileURL(`${cwd}/`))));
  } catch {
    throw new ValidationError(field, 'the file: address names no path on this machine', EXAMPLES);
  }
}

function hostOf(host: string | undefined): { host?: string } {
  return host === undefined ? {} : { host };
}
