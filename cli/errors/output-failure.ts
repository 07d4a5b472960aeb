import { MediaServiceError } from '../../api/errors';
import { unwritableReason } from '../../files/output-failure';

const FREE_SPACE = 'Free some space there, or write to another file or folder.';
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: FREE_SPACE,
  EDQUOT: FREE_SPACE,
  EACCES: 'Give this user the right to write there.',
};

/** Makes the error for stdout or a file that can't be written. `target` is the user's name for it. */
export function outputFailed(target: string, error: NodeJS.ErrnoException): MediaServiceError {
  return new MediaServiceError(
    'OutputFailed',
    `${target} could not be written: ${unwritableReason(error.code) ?? error.message}.`,
    { hint: HINTS[error.code ?? ''] ?? 'Write to another file or folder.' },
    { cause: error },
  );
}
