import { MediaServiceError } from '../../errors';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is no folder',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
  EISDIR: 'is a folder',
  ELOOP: 'is a loop of symbolic links',
  ENAMETOOLONG: 'has too long a name',
  EMFILE: 'can’t be opened for now: this process has too many open files',
  ENFILE: 'can’t be opened for now: this machine has too many open files',
};

/** What waiting can't change: somebody has to rename, move or permit something. Every other code may pass. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EILSEQ',
  'EEXIST',
  'EROFS',
  'EFBIG',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
]);
const TOO_MANY_FILES: readonly string[] = ['EMFILE', 'ENFILE'];

/** ENOENT and the like; by structure, since errors of the file system may come from another realm. */
export function systemCodeOf(error: unknown): string | undefined {
  const known = typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : undefined;
}

/** Why the system can't read a path, as the end of a sentence: `does not exist`, `may not be read by this process`. */
export function unreadableReason(error: unknown): string {
  const code = systemCodeOf(error) ?? '';
  return REASONS[code] ?? `cannot be read${code === '' ? '' : ` (${code})`}`;
}

/** Whether the system failed in a way that may pass: a disk or share that is away, too many open files, a full disk, an unknown code. */
export function mayPass(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code !== undefined && !FINAL_CODES.has(code);
}

/** A disk, a quota or the file system's largest file leaves no room. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCodeOf(error) ?? '');
}

/**
 * A path that can't be read: `SourceUnavailable` if that may pass, else `SourceMissing`. `name` is a path or a label, never a URL with its
 * query.
 */
export function sourceUnreadable(name: string, cause: unknown): MediaServiceError {
  const code = systemCodeOf(cause) ?? '';
  if (mayPass(cause)) {
    const reason = REASONS[code] ?? `can’t be read for now (${code})`;
    return sourceUnavailable(name, reason, { hint: hintWhileAway(code), cause });
  }
  return new MediaServiceError(
    'SourceMissing',
    `the source ${name} ${unreadableReason(cause)}`,
    {
      outcome: 'unsent',
      field: 'source',
      hint: 'Check the name, and that the machine that runs this upload sees the file.',
    },
    { cause },
  );
}

/** A source that waiting may bring back. */
export function sourceUnavailable(
  name: string,
  what: string,
  { hint, cause }: { readonly hint: string; readonly cause?: unknown },
): MediaServiceError {
  return new MediaServiceError(
    'SourceUnavailable',
    `the source ${name} ${what}`,
    { outcome: 'unsent', field: 'source', hint },
    cause === undefined ? undefined : { cause },
  );
}

function hintWhileAway(code: string): string {
  return TOO_MANY_FILES.includes(code)
    ? 'An upload that runs goes on once files are closed. If that does not happen, raise the limit of open files (ulimit -n).'
    : 'Bring its disk or network share back: an upload that runs goes on by itself then.';
}

export function sourceRefused(name: string, what: string, hint: string): MediaServiceError {
  return new MediaServiceError('SourceMissing', `the source ${name} ${what}`, {
    outcome: 'unsent',
    field: 'source',
    hint,
  });
}

/** The source is not the one that was pinned. */
export function sourceChanged(name: string, what: string): MediaServiceError {
  return new MediaServiceError(
    'SourceChanged',
    `the source ${name} changed since the upload started: ${what}`,
    {
      outcome: 'unsent',
      field: 'source',
      hint: 'Upload it anew once nothing writes to it any more: a mixed file is never completed.',
    },
  );
}
