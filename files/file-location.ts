import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ValidationError } from '../api/errors';
import { given } from '../api/json';
import { parseS3Address, s3Address } from '../api/upload/sources/source';
import type { PathSource, S3Source } from '../api/upload/sources/source';

/**
 * Where something is stored outside the service: a manifest, a batch's results, a report, a schedule's state. Plain
 * JSON for a workflow's input. Each process has its own setting for the locations that it may use.
 */
export type FileLocation =
  Pick<PathSource, 'kind' | 'path' | 'host'> | Pick<S3Source, 'kind' | 'bucket' | 'key'>;

interface LocationOptions {
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  /** The machine with the paths. Unset: every worker mounts them. */
  readonly host?: string | undefined;
  /** Name of the text in errors. Default `location`. */
  readonly field?: string | undefined;
}

/** `s3:/bucket` is a typing mistake. Write `./s3:` for a folder with that name. */
const OTHER_SCHEME = /^([a-z][a-z0-9+.-]+:\/\/|s3:)/i;

/**
 * Reads `s3://bucket/key`, `file:/abs/path`, `file:path` or a path. Both kinds of path may be relative. Pure. Throws a
 * `ValidationError` for other schemes, an empty text, and an address without a bucket.
 */
export function parseLocation(
  text: string,
  { cwd, host, field = 'location' }: LocationOptions,
): FileLocation {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('\0')) {
    throw new ValidationError(field, 'the location is empty or contains a NUL character', EXAMPLES);
  }
  const object = parseS3Address(trimmed, field);
  if (object !== undefined) return { kind: 's3', ...object };
  if (/^file:/i.test(trimmed))
    return { kind: 'path', path: pathOfUrl(trimmed, cwd, field), ...given({ host }) };
  if (OTHER_SCHEME.test(trimmed)) {
    throw new ValidationError(field, "this kind of address can't be read or written", EXAMPLES);
  }
  return { kind: 'path', path: path.resolve(cwd, trimmed), ...given({ host }) };
}

/** Returns the text that `parseLocation` reads back. It does not contain the host of a path. */
export function locationText(location: FileLocation): string {
  return location.kind === 's3' ? s3Address(location) : location.path;
}

/**
 * Returns a file or folder below a location; `name` may have slashes. Throws a `ValidationError` if it would lead out
 * of the folder.
 */
export function locationWithin<Folder extends FileLocation>(folder: Folder, name: string): Folder;
export function locationWithin(folder: FileLocation, name: string): FileLocation {
  const steps = name.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..' || step.includes('\0'))) {
    throw new ValidationError('location', `"${name}" is not a valid name below a folder`);
  }
  if (folder.kind === 'path') return { ...folder, path: path.join(folder.path, ...steps) };
  return { ...folder, key: folderPrefix(folder.key) + name };
}

/** Returns the prefix of all keys below a folder: it ends in a slash, or is empty for the whole bucket. */
export function folderPrefix(key: string): string {
  return key === '' || key.endsWith('/') ? key : `${key}/`;
}

const EXAMPLES = 'Write s3://bucket/key, or a path.';

function pathOfUrl(text: string, cwd: string, field: string): string {
  try {
    if (/^file:$/i.test(text)) throw new TypeError('It names no path.');
    return path.resolve(fileURLToPath(new URL(text, pathToFileURL(`${cwd}/`))));
  } catch {
    throw new ValidationError(field, 'the file: address names no path on this machine', EXAMPLES);
  }
}
