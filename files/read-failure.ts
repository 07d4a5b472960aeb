import type { MediaServiceError } from '../api/errors';
import { sourceError } from '../api/upload/sources/source';
import { mayPass, systemCodeOf } from './system-error';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
  EISDIR: 'is a folder',
  ELOOP: 'is a loop of symbolic links',
  ENAMETOOLONG: 'has too long a name',
  EMFILE: "can't be opened for now: this process has too many open files",
  ENFILE: "can't be opened for now: this machine has too many open files",
};

const CONTINUES =
  'A running upload continues by itself once its disk or network share is back, or files are closed (ulimit -n).';

/**
 * Returns why the system can't read a path, as the end of a sentence: `does not exist`, `may not be read by this
 * process`.
 */
export function unreadableReason(error: unknown): string {
  const code = systemCodeOf(error) ?? '';
  return REASONS[code] ?? `can't be read${code === '' ? '' : ` (${code})`}`;
}

/** A file that may not be read is not missing: somebody must change its rights. */
export function unreadableCode(error: unknown): 'SourceNotAllowed' | 'SourceMissing' {
  return ['EACCES', 'EPERM'].includes(systemCodeOf(error) ?? '') ? 'SourceNotAllowed' : 'SourceMissing';
}

export const GIVE_RIGHTS =
  "Give this user and the worker's user the right to read it, and to enter its folders.";

/** Makes the error for a path that can't be read: `SourceUnavailable` if that may be temporary, else as `unreadableCode`. */
export function sourceUnreadable(name: string, cause: unknown): MediaServiceError {
  const code = systemCodeOf(cause) ?? '';
  if (mayPass(cause)) {
    const reason = REASONS[code] ?? `can't be read for now (${code})`;
    return sourceError('SourceUnavailable', [name, reason], { hint: CONTINUES, cause });
  }
  const unreadable = unreadableCode(cause);
  return sourceError(unreadable, [name, unreadableReason(cause)], {
    hint:
      unreadable === 'SourceNotAllowed'
        ? GIVE_RIGHTS
        : 'Check the name, and that the machine that reads it sees the file.',
    cause,
  });
}
