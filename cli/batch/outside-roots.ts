import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MediaServiceError } from '../../api/errors';
import { isInsideFolders } from '../../api/upload/sources/path/inside-folders';
import { checkSourceHost } from '../../api/upload/sources/http/allowed-host';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Doubt } from '../../manifest/check/check-manifest';
import type { Settings } from '../../settings/settings';

interface Started {
  readonly settings: Pick<Settings, 'fileRoots' | 'outputRoots' | 'sourceHosts'>;
  readonly cwd: string;
}

/**
 * What a worker with this command's settings, started where it was, would refuse of a source: paths outside of its folders, links that lead out of them, private
 * addresses. Workers have settings of their own: nothing is refused for it. Never rejects.
 */
export function doubtOfSource({
  settings,
  cwd,
}: Started): (source: SourceDescriptor) => Promise<Doubt | undefined> {
  const roots = settings.fileRoots ?? [cwd];
  const hosts = new Map<string, Promise<Doubt | undefined>>();
  return async (source) => {
    if (source.kind === 'path') return doubt(source.path, roots);
    if (source.kind !== 'http' || typeof source.url !== 'string' || !URL.canParse(source.url))
      return undefined;
    const url = new URL(source.url);
    const found = hosts.get(url.host) ?? doubtOfAddress(url, settings.sourceHosts);
    hosts.set(url.host, found);
    return found;
  };
}

async function doubtOfAddress(url: URL, sourceHosts: readonly string[]): Promise<Doubt | undefined> {
  try {
    await checkSourceHost(url, sourceHosts);
  } catch (error) {
    // A name that does not resolve here may resolve there.
    if (!(error instanceof MediaServiceError) || error.code !== 'SourceNotAllowed') return undefined;
    const { message, facts } = error;
    return {
      column: 'source',
      kind: 'address',
      message,
      ...(facts.hint === undefined ? {} : { hint: facts.hint }),
    };
  }
  return undefined;
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
  const real = await realpath(path).catch(() => undefined);
  const isInside =
    real === undefined ? await isInsideFolders(path, roots, false) : await isInsideFolders(real, roots, true);
  if (isInside) return undefined;
  const isLink = real !== undefined && (await isInsideFolders(path, roots, false));
  const folders = [...new Set(roots)].join(', ');
  return {
    column: 'source',
    kind: 'path',
    message: `${path} ${isLink ? `is a link to ${real}, which ` : ''}is outside of the folders that a worker with these settings reads: ${folders}`,
    hint: `Start workers with MEDIA_SERVICE_FILE_ROOTS=${dirname(real ?? path)}, or a folder above it; unset, they read below the folder that they are started in.`,
  };
}
