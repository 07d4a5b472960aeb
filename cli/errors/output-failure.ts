import { MediaServiceError } from '../../api/errors';

const REASONS: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  ENOSPC: { reason: 'no space left', hint: 'Free some space there, or write to another file or folder.' },
  EDQUOT: {
    reason: 'the quota is used up',
    hint: 'Free some space there, or write to another file or folder.',
  },
  EFBIG: { reason: 'the file would be too large', hint: 'Write to another file or folder.' },
  EROFS: { reason: 'it is read-only', hint: 'Write to another file or folder.' },
  EACCES: { reason: 'no permission', hint: 'Give this user the right to write there.' },
};

/** Makes the error for stdout or a file that can't be written. `target` is the user's name for it. */
export function outputFailed(target: string, error: NodeJS.ErrnoException): MediaServiceError {
  const known = REASONS[error.code ?? ''];
  return new MediaServiceError(
    'OutputFailed',
    `${target} could not be written: ${known?.reason ?? error.message}.`,
    { hint: known?.hint ?? 'Write to another file or folder.' },
    { cause: error },
  );
}
