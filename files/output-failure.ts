import path from 'node:path';
import { MediaServiceError } from '../api/errors';
import { HINT_OF_AWAY_ROOT } from './roots/away-root';
import type { AwayRoot } from './roots/away-root';
import { mayPass, systemCodeOf } from './system-error';

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

const FREE_SPACE = 'Free some space there, or write somewhere else.';
const RIGHTS = 'Give this user the right to write there, or write somewhere else.';
const NOT_A_FOLDER = 'Choose another folder, or move away the file in its path.';
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EISDIR: 'Choose another name, or move the folder away.',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

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
      hint: HINTS[code] ?? 'Write somewhere else, or try again once the disk or network share works.',
      ...(mayPass(error) ? { details: { permanent: false } } : {}),
    },
    { cause: error },
  );
}

/** The same in a folder that was just found or made. If it is missing now, its disk or share has gone meanwhile. */
export function goneOrFailed(target: string, error: unknown): unknown {
  if (systemCodeOf(error) !== 'ENOENT') return outputFailed(target, error);
  return outputAway(target, { root: path.dirname(target), why: 'was not there for a moment' });
}

/**
 * Nothing is written below an unavailable output root: a new folder would take files that belong on the
 * root's disk.
 */
export function outputAway(file: string, { root, why }: AwayRoot): MediaServiceError {
  return new MediaServiceError(
    'OutputFailed',
    `${file} can't be written for now: the folder ${root} ${why}`,
    { outcome: 'unsent', field: 'output', hint: HINT_OF_AWAY_ROOT, details: { permanent: false } },
  );
}
