import path from 'node:path';

/** Returns the folder of an absolute path; undefined for any other text. */
export function folderOf(file: string): string | undefined {
  return path.isAbsolute(file) ? path.dirname(file) : undefined;
}
