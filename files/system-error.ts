/** Waiting can't change these: somebody must rename, move or permit something. Every other code may be temporary. */
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

/**
 * Returns ENOENT and the like. It checks the structure, because errors of the file system may come from another realm.
 */
export function systemCodeOf(error: unknown): string | undefined {
  const known = typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns whether a failure of the system may be temporary: an unavailable disk or share, too many open files, a full
 * disk, an unknown code.
 */
export function mayPass(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code !== undefined && !FINAL_CODES.has(code);
}

/** Returns whether a disk, a quota or the file system's maximum file size leaves no room. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(systemCodeOf(error) ?? '');
}
