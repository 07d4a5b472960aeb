import { parse } from 'node:path';
import { MediaServiceError } from '../../api/errors';
import type { FileLocation } from '../../files/file-location';
import type { FileAccess } from '../../files/files';
import type { Settings } from '../../settings/settings';
import { withFileAccess } from '../with-file-access';

export interface FolderUse {
  readonly settings: Settings;
  readonly cwd: string;
  readonly folder: FileLocation;
}

/** Returns whether the folder is on this machine or in S3. */
export function isReadableHere({ settings, folder }: Pick<FolderUse, 'settings' | 'folder'>): boolean {
  return folder.kind === 's3' || folder.host === undefined || folder.host === settings.host;
}

/**
 * Runs `use` with access to a batch's folder. The user of this command has named the folder, so it may be outside the
 * roots. Rejects with `SourceNotAllowed` if it is on another machine.
 */
export async function withBatchFolder<T>(
  { settings, cwd, folder }: FolderUse,
  use: (access: FileAccess) => Promise<T>,
): Promise<T> {
  if (folder.kind === 's3') return withFileAccess(settings, cwd, use);
  const { path, host } = folder;
  if (!isReadableHere({ settings, folder })) {
    throw new MediaServiceError(
      'SourceNotAllowed',
      `The batch's folder ${path} is on ${String(host)}; this machine is ${settings.host}.`,
      { hint: `Run this command on ${String(host)}, or wait for the end: the results are there.` },
    );
  }
  return withFileAccess({ ...settings, outputRoots: [parse(path).root] }, cwd, use);
}
