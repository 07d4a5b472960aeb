import { ConfigurationError } from '../../api/errors';
import { given } from '../../api/json';
import { getSource, versionOf } from '../../api/upload/sources/http/http-request';
import { namesOf, openHttpSource, pinHttpSource } from '../../api/upload/sources/http/http-source';
import { remoteFingerprint } from '../../api/upload/sources/source';
import type {
  HttpSource,
  PinnedSource,
  SourceDescriptor,
  SourceReader,
  UploadSources,
} from '../../api/upload/sources/source';
import { checkSourceHost } from './allowed-host';
import { releaseSource } from './release-source';
import { openPath, pinPath } from './path-source';
import { openS3Source, pinS3Source } from './s3-source';
import type { CheckedAccess, SourceAccess } from './source-access';
import { spoolFile } from './spool-file';

function withHostCheck(access: SourceAccess): CheckedAccess {
  const { sourceHosts, transport } = access;
  return { ...access, checkHost: (url) => checkSourceHost(url, sourceHosts, transport.isProxied?.(url)) };
}

/** For uploads in this process. */
export function sourcesOf(access: SourceAccess): UploadSources {
  return {
    transport: access.transport,
    pin: (source, signal) => pinSource(access, source, signal),
    open: (pinned) => openSource(access, pinned),
    release: (source) => releaseSource(access, source),
  };
}

/**
 * Fixes what a source is: size, fingerprint, name. Some URLs are copied to the spool folder, and the copy is pinned:
 * those that support no Range, report no size, or have neither ETag nor Last-Modified.
 *
 * Rejects with `SourceMissing` or `SourceNotAllowed`. If a spool folder is needed and none is set, it rejects with a
 * `ConfigurationError` that names both ways out. For S3 it rejects as `S3Objects` does. A source without bytes is
 * pinned: `planParts` refuses to upload it.
 */
export async function pinSource(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  switch (source.kind) {
    case 'path':
      return pinPath(access, source);
    case 'http':
      return pinOrSpool(withHostCheck(access), source, signal);
    case 's3':
      return pinS3Source(access, source, signal);
  }
}

/**
 * Reads ranges of a pinned source and compares each with the pin, see `SourceReader`. It opens nothing until a range is
 * read.
 */
export function openSource(access: SourceAccess, pinned: PinnedSource): SourceReader {
  const { source } = pinned;
  switch (source.kind) {
    case 'path':
      return openPath(access, { ...pinned, source });
    case 'http':
      return openHttpSource(withHostCheck(access), { ...pinned, source });
    case 's3':
      return openS3Source(access, { ...pinned, source });
  }
}

/**
 * Pins a URL. If it can't be read in parts, copies it once into the spool folder and pins the copy, see `spoolFile`: a
 * path source that is removed when the upload ends. Rejects as `pinSource`, `getSource` and `spoolFile` do.
 */
async function pinOrSpool(
  access: CheckedAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  let cause = 'its address is read only once';
  if (source.spool !== true) {
    const pinned = await pinHttpSource(access, source, signal);
    if ('source' in pinned) return pinned;
    cause = pinned.cause;
  }
  const { host, spoolDir } = access;
  if (spoolDir === undefined) throw noSpoolFolder(source.label, cause);
  const { status, headers, body } = await getSource(access, source, { signal });
  const version = versionOf(status, headers);
  const copy = await spoolFile({
    spoolDir,
    content: body,
    label: `the source ${source.label}`,
    expected: version.bytes ?? source.bytes,
    signal,
  });
  const { digest } = source;
  const pinned = await pinPath(access, { ...copy, ...given({ digest, host }) }, headers);
  const identity = remoteFingerprint('http', { ...version, bytes: pinned.bytes });
  return {
    ...pinned,
    source: { ...pinned.source, ...given({ identity }) },
    ...namesOf(access, source, headers),
  };
}

function noSpoolFolder(label: string, cause: string): ConfigurationError {
  return new ConfigurationError(
    'spoolDir',
    `${label} can't be read in parts: ${cause}. No spool folder is set for a copy`,
    'Set {spoolDir} to a folder with room for the file. Or give an address that answers Range requests.',
  );
}
