import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInsideFolders } from '../../api/upload/sources/path/inside-folders';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Doubt } from '../../manifest/check/check-manifest';
import type { Settings } from '../../settings/settings';

interface Started {
  readonly settings: Pick<Settings, 'fileRoots' | 'outputRoots'>;
  readonly cwd: string;
}

/** What a worker with this command's settings, started where it was, has against a path. Workers have settings of their own: nothing is refused for it. */
export function doubtOfSource({
  settings,
  cwd,
}: Started): (source: SourceDescriptor) => Promise<Doubt | undefined> {
  const roots = settings.fileRoots ?? [cwd];
  return async (source) => (source.kind === 'path' ? doubt(source.path, roots) : undefined);
}

/** The same of a manifest, which may lie where batches are written, too. */
export async function doubtsOfManifest(
  { settings, cwd }: Started,
  source: SourceDescriptor,
): Promise<Doubt[]> {
  if (source.kind !== 'path') return [];
  const found = await doubt(source.path, [
    ...(settings.fileRoots ?? [cwd]),
    ...(settings.outputRoots ?? [cwd]),
  ]);
  return found === undefined ? [] : [{ message: `the manifest ${found.message}`, hint: found.hint }];
}

async function doubt(
  path: string,
  roots: readonly string[],
): Promise<(Doubt & { hint: string }) | undefined> {
  if (await isInsideFolders(path, roots, false)) return undefined;
  const real = await realpath(path).catch(() => path);
  if (await isInsideFolders(real, roots, true)) return undefined;
  const folders = [...new Set(roots)].join(', ');
  return {
    column: 'source',
    message: `${path} lies outside of the folders that a worker with these settings reads: ${folders}`,
    hint: `Start workers with MEDIA_SERVICE_FILE_ROOTS=${dirname(path)}, or a folder above it; unset, they read below the folder that they are started in.`,
  };
}
