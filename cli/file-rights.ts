import { constants } from 'node:fs';
import { access } from 'node:fs/promises';

/** Whether this user may read the folder, or the file. */
export function mayRead(path: string, isFolder = true): Promise<boolean> {
  return may(path, constants.R_OK | (isFolder ? constants.X_OK : 0));
}

/** Whether this user may write into the folder. */
export function mayWrite(folder: string): Promise<boolean> {
  return may(folder, constants.W_OK | constants.X_OK);
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
