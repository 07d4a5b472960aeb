import { MediaServiceError } from '../../api/errors';
import type { Place } from '../../places/place';
import type { PlaceAccess } from '../../places/place-access';
import type { Settings } from '../../settings/settings';
import { withPlaces } from '../with-places';

export interface FolderUse {
  readonly settings: Settings;
  readonly cwd: string;
  readonly folder: Place;
}

/** Whether the folder lies where this command runs, or in S3. */
export function isReadableHere({ settings, folder }: Pick<FolderUse, 'settings' | 'folder'>): boolean {
  return folder.kind === 's3' || folder.host === undefined || folder.host === settings.host;
}

/**
 * Runs `use` with access to a batch's folder: whoever runs this command has named it, so that it need not lie within the roots.
 * Rejects with `SourceNotAllowed` where it lies on another machine.
 */
export async function withBatchFolder<T>(
  { settings, cwd, folder }: FolderUse,
  use: (access: PlaceAccess) => Promise<T>,
): Promise<T> {
  if (folder.kind === 's3') return withPlaces(settings, cwd, use);
  const { path, host } = folder;
  if (!isReadableHere({ settings, folder })) {
    throw new MediaServiceError(
      'SourceNotAllowed',
      `The batch’s folder ${path} is on ${String(host)}; this machine is ${settings.host}.`,
      { hint: `Run this command on ${String(host)}, or wait for the end: the results are there.` },
    );
  }
  const roots = { outputRoots: [...(settings.outputRoots ?? [cwd]), path] };
  return withPlaces({ ...settings, ...roots }, cwd, use);
}
