import { ValidationError } from '../../../errors';
import type { SourceRules } from '../read-source';
import { MIN_AGE } from '../source';
import type { PathSource } from '../source';

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
