import { MediaServiceError } from '../api/errors';
import { systemCodeOf } from '../api/upload/sources/source-failure';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file would be larger than this system takes',
  EACCES: 'this process may not write there',
  EPERM: 'this process may not write there',
  EROFS: 'the file system is read-only',
  EISDIR: 'a folder of this name is there',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'a part of its path is no folder',
  EIO: 'the disk or network share fails',
  EMFILE: 'this process has too many open files',
};

const NOT_A_FOLDER = 'Choose another place, or move away the file that stands in its path.';
const HINTS: Readonly<Record<string, string>> = {
  EISDIR: 'Choose another name, or move the folder away.',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

/** A file that cannot be written; errors that are not the file system's pass as they are. */
export function outputFailed(file: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  return new MediaServiceError(
    'OutputFailed',
    `${file} cannot be written: ${REASONS[code] ?? code}`,
    {
      outcome: 'unsent',
      field: 'output',
      hint: HINTS[code] ?? 'Free some space or give this user its rights, or choose another place.',
    },
    { cause: error },
  );
}
