import { MediaServiceError } from '../../errors';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is no folder',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
  EISDIR: 'is a folder',
  ELOOP: 'is a loop of symbolic links',
  ENAMETOOLONG: 'has too long a name',
  EMFILE: 'cannot be opened: this process has too many open files',
  EIO: 'cannot be read: the disk or network share fails',
};

/** ENOENT and the like; by structure, since errors of the file system may come from another realm. */
export function systemCodeOf(error: unknown): string | undefined {
  const known = typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : undefined;
}

/** A disk, a quota or the file system's largest file leaves no room. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCodeOf(error) ?? '');
}

/** A path or URL that is not there or cannot be read; `name` is a path or a label, never a URL with its query. */
export function sourceMissing(name: string, cause: unknown): MediaServiceError {
  const code = systemCodeOf(cause) ?? '';
  const reason = REASONS[code] ?? `cannot be read${code === '' ? '' : ` (${code})`}`;
  return new MediaServiceError(
    'SourceMissing',
    `the source ${name} ${reason}`,
    {
      outcome: 'unsent',
      field: 'source',
      hint: 'Check the name, and that the machine that runs this upload sees the file.',
    },
    { cause },
  );
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
