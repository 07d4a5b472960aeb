import { unlink } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError, ValidationError } from '../../../errors';
import { MIN_AGE } from '../source';
import type { PathSource } from '../source';
import type { ReleaseAccess, SourceRules } from '../read-source';
import { allowedPath } from '../../../../files/allowed-path';
import { isHandOverName } from './hand-over-file';
import { spoolCopyOf } from './spool-file';
import { systemCodeOf } from '../../../../files/system-error';

export const PATH_RULES: SourceRules<PathSource> = {
  reportsType: false,
  check({ path, minAgeMs = 0 }) {
    if (typeof path !== 'string' || path.trim() === '') {
      throw new ValidationError('source.path', 'the path of the file is empty');
    }
    if (path.includes('\0')) {
      throw new ValidationError('source.path', 'the path of the file holds a NUL character');
    }
    if (!Number.isSafeInteger(minAgeMs) || minAgeMs < 0) {
      throw new ValidationError(MIN_AGE, 'the minimum age must be a whole number of ms, 0 or more');
    }
  },
  label: ({ path }) => lastName(path),
  fileName: ({ path, fileName }) => fileName ?? lastName(path),
  /** Each hand-over makes another path for the same file. */
  meaning: ({ path, host, deleteAfter, fileName, bytes }) =>
    deleteAfter === true ? [fileName, bytes] : [path, host],
  /** A copy in the spool folder has its URL's identity. */
  identity: ({ source, fingerprint }) =>
    source.deleteAfter === true
      ? source.identity
      : /^path;bytes=\d+;mtime=-?\d+(;ctime=-?\d+)?/.exec(fingerprint)?.[0],
  host: ({ host }) => host,
  path: ({ path }) => path,
  isOurs: ({ deleteAfter }) => deleteAfter === true,
};

function lastName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}

/** Deletes a copy in the spool folder or a handed-over file, see `releaseSource`. */
export async function releasePath(access: ReleaseAccess, source: PathSource): Promise<void> {
  try {
    const file = (await spoolCopyOf(access, source)) ?? (await handedOverFile(access, source));
    await unlink(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns the real path of a handed-over file. */
async function handedOverFile(access: ReleaseAccess, source: PathSource): Promise<string> {
  const name = path.basename(source.path);
  if (!isHandOverName(name)) throw notDeleted(source, 'its name is not that of a handed-over file');
  prove(access, source);
  const real = await allowedPath(access, source.path);
  if (path.basename(real) !== name) throw notDeleted(source, 'it is a link');
  return real;
}

function prove({ proveHandOver }: ReleaseAccess, source: PathSource): void {
  const unproved = 'nothing proves that it was handed over for this account';
  if (proveHandOver === undefined) throw notDeleted(source, unproved);
  try {
    proveHandOver(source);
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw notDeleted(source, unproved + reason, error);
  }
}

function notDeleted({ path: file }: PathSource, why: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'SourceNotAllowed',
    `the file ${file} is not deleted: ${why}`,
    {
      outcome: 'refused',
      field: 'source.deleteAfter',
      hint: 'Only copies in the spool folder and files that were handed over for an upload are deleted. Delete it yourself if nobody needs it.',
    },
    { cause },
  );
}

function isMissing(error: unknown): boolean {
  const cause = error instanceof MediaServiceError ? error.cause : error;
  return systemCodeOf(cause) === 'ENOENT';
}
