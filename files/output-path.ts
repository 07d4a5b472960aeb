import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { MediaServiceError } from '../api/errors';
import { makeFolder } from './disk/write-whole';
import { awayRootOf, isInsideFolders, LINKS, MOUNT_ROOT } from './allowed-path';
import type { S3Objects } from './s3/s3-client';
import { isFull, mayPass, systemCodeOf } from './system-error';

/** Which locations this process may read and write. */
export interface FileAccess {
  /** Absolute folders that may be written (and read back). Empty: none. */
  readonly outputRoots: readonly string[];
  /** Further absolute folders that may be read. */
  readonly roots: readonly string[];
  /** Rights of a file that is written. Default: only this user (0600). */
  readonly fileMode?: number;
  /**
   * Write nothing if a file or object exists. If several callers do this at once, only one succeeds; in a store without
   * `If-None-Match`, the last one does.
   */
  readonly onlyNew?: boolean;
  readonly s3: S3Objects;
}

/**
 * Returns the real path at which a file may be written, with all symbolic links of its folders followed. Rejects with
 * `OutputFailed` outside the output roots, and while its output root is unavailable. Creates nothing.
 */
export async function outputPath(outputRoots: readonly string[], file: string): Promise<string> {
  const target = path.resolve(file);
  const away = await awayRootOf(target, outputRoots);
  // A new folder would take files that belong on the root's disk.
  if (away !== undefined)
    throw new MediaServiceError('OutputFailed', `${file} can't be written for now: ${away}`, {
      ...{ outcome: 'unsent', field: 'output', hint: MOUNT_ROOT },
      details: { permanent: false },
    });
  const folder = await realFolder(path.dirname(target));
  if (!(await isInsideFolders(folder, outputRoots, true))) throw outside(file, outputRoots);
  return path.join(folder, path.basename(target));
}

/** The same, and creates the file's folder. */
export async function outputPathInFolder(outputRoots: readonly string[], file: string): Promise<string> {
  const real = await outputPath(outputRoots, file);
  await makeFolder(path.dirname(real)).catch((error: unknown) => {
    throw outputFailed(file, error);
  });
  return real;
}

/** Returns the real path of a folder, of which a part may not exist yet. */
async function realFolder(folder: string): Promise<string> {
  let missing = '';
  for (let there = folder; ; there = path.dirname(there)) {
    // Undefined: it does not exist yet.
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined || there === path.dirname(there)) return path.join(real ?? there, missing);
    missing = path.join(path.basename(there), missing);
  }
}

function outside(file: string, outputRoots: readonly string[]): MediaServiceError {
  const none = outputRoots.length === 0;
  return new MediaServiceError(
    'OutputFailed',
    `${file} may not be written: ${none ? 'no folder is allowed for output' : 'it is outside the folders for output'}`,
    {
      outcome: 'unsent',
      field: 'output',
      hint: none
        ? 'Set {outputRoots} to the folders that batches and reports may be written to, and restart the worker.'
        : `Choose another folder, or add this one to {outputRoots}, and restart the worker. ${LINKS}`,
    },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file would be larger than this system takes',
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'the file system is read-only',
  EISDIR: 'a folder of this name exists',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a part of its path is not a folder',
  EIO: 'the disk or network share fails',
  ESTALE: 'the network share does not answer',
  EMFILE: 'this process has too many open files',
};

/** Says that the system can't write a file, and why. `target` is the user's name for the file. */
export function notWritable(target: string, error: unknown): string {
  const code = systemCodeOf(error) ?? String(error);
  return `${target} can't be written: ${REASONS[code] ?? code}`;
}

/**
 * Makes the error for stdout or a file that can't be written, retryable if the reason may be temporary. `target` is the
 * user's name for it. An error that is not the system's passes unchanged.
 */
export function outputFailed(target: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  return new MediaServiceError(
    'OutputFailed',
    notWritable(target, error),
    {
      outcome: 'unsent',
      field: 'output',
      hint: isFull(error)
        ? 'Free some space there, or write somewhere else.'
        : 'Write somewhere else, or try again once the disk or network share works.',
      // A folder that was there a moment ago may be on a disk or share that has gone.
      ...(mayPass(error) || code === 'ENOENT' ? { details: { permanent: false } } : {}),
    },
    { cause: error },
  );
}
