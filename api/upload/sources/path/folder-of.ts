import path from 'node:path';

/** The folder that an absolute path lies in; undefined for what is not an absolute path. */
export function folderOf(file: string): string | undefined {
  return path.isAbsolute(file) ? path.dirname(file) : undefined;
}
