import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { adviceOf } from '../../api/advice';
import { hasCode } from '../../api/errors';
import { isInsideFolders } from '../../files/allowed-path';
import { checkSourceHost } from '../../api/upload/sources/http/allowed-host';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pathOfSource, urlOfSource } from '../../api/upload/sources/source-rules';
import type { SourceWarning } from '../../manifest/check/check-manifest';
import type { Settings } from '../../settings/settings';

export interface Started {
  readonly settings: Pick<Settings, 'fileRoots' | 'outputRoots' | 'sourceHosts'>;
  readonly cwd: string;
}

/**
 * Warns about sources that a worker with this command's settings and working folder would refuse: paths outside its
 * folders, links that lead out of them, private addresses. Nothing is refused here, because workers have their own
 * settings. Never rejects.
 */
export function sourceWarningOf({
  settings,
  cwd,
}: Started): (source: SourceDescriptor) => Promise<SourceWarning | undefined> {
  const roots = settings.fileRoots ?? [cwd];
  const hosts = new Map<string, Promise<SourceWarning | undefined>>();
  return async (source) => {
    const path = pathOfSource(source);
    if (path !== undefined) return pathWarning(path, roots);
    const url = urlOfSource(source);
    if (url === undefined) return undefined;
    const found = hosts.get(url.host) ?? addressWarning(url, settings.sourceHosts);
    hosts.set(url.host, found);
    return found;
  };
}

async function addressWarning(url: URL, sourceHosts: readonly string[]): Promise<SourceWarning | undefined> {
  try {
    await checkSourceHost(url, sourceHosts);
  } catch (error) {
    // A name that does not resolve here may resolve on a worker.
    if (!hasCode(error, 'SourceNotAllowed')) return undefined;
    const { message, facts } = error;
    return {
      column: 'source',
      kind: 'address',
      message,
      ...adviceOf(facts),
    };
  }
  return undefined;
}

/** The same for a manifest, which may also be in the folder for batches. */
export async function manifestWarnings(
  { settings, cwd }: Started,
  source: SourceDescriptor | undefined,
): Promise<SourceWarning[]> {
  const path = source === undefined ? undefined : pathOfSource(source);
  if (path === undefined) return [];
  const found = await pathWarning(path, [
    ...(settings.fileRoots ?? [cwd]),
    ...(settings.outputRoots ?? [cwd]),
  ]);
  return found === undefined ? [] : [{ message: `the manifest ${found.message}`, hint: found.hint }];
}

async function pathWarning(
  path: string,
  roots: readonly string[],
): Promise<(SourceWarning & { hint: string }) | undefined> {
  // Undefined: it does not exist, which another check reports.
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
    hint: `Start workers with MEDIA_SERVICE_FILE_ROOTS=${dirname(real ?? path)}, or a folder above it. If it is unset, they read only below the folder that they are started in.`,
  };
}
