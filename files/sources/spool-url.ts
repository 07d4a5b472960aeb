import { given } from '../../api/json';
import { ConfigurationError } from '../../api/errors';
import { openPath } from './path-source';
import { spoolFile } from './spool-file';
import type { HttpSource, PinnedSource } from '../../api/upload/sources/source';
import { contentOf, HEAD_BYTES, headOf } from '../../api/upload/sources/source-content';
import type { CheckedAccess } from './source-access';
import { namesOf, pinHttpSource } from '../../api/upload/sources/http/http-source';
import { getSource, httpIdentity, versionOf } from '../../api/upload/sources/http/http-request';
import { secretHeadersOf } from '../../api/upload/sources/http/secret-headers';

/** Pins a URL, or its copy in the spool folder if it can't be read in parts. Rejects as `pinSource` does. */
export async function pinOrSpool(
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
  if (access.spoolDir === undefined) throw noSpoolFolder(source.label, cause);
  return spoolUrl({ ...access, spoolDir: access.spoolDir }, source, signal);
}

function noSpoolFolder(label: string, cause: string): ConfigurationError {
  return new ConfigurationError(
    'spoolDir',
    `${label} can't be read in parts: ${cause}. No spool folder is set for a copy`,
    'Set {spoolDir} to a folder with room for the file. Or give an address that answers Range requests.',
  );
}

/**
 * Copies a URL once into the spool folder and pins the copy, see `spoolFile`. The copy is a path source that is removed
 * when the upload ends. Rejects as `getSource` and `spoolFile` do.
 */
async function spoolUrl(
  access: CheckedAccess & { readonly spoolDir: string },
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const url = access.unseal(source.url);
  const secret = await secretHeadersOf(access, source);
  const { status, headers, body } = await getSource(access, { url, secret, headers: {}, signal });
  const spooled = await spoolFile({
    spoolDir: access.spoolDir,
    content: body,
    label: `the source ${source.label}`,
    expected: versionOf(status, headers).bytes ?? source.bytes,
    signal,
  });
  const { digest } = source;
  const { host } = access;
  const identity = httpIdentity({ ...versionOf(status, headers), bytes: spooled.bytes });
  const known = given({ digest, identity, host });
  const names = namesOf(source, url, headers);
  const reader = openPath(access, { ...spooled, ...names });
  const head = await headOf(reader.read(0, Math.min(spooled.bytes, HEAD_BYTES), signal));
  const copy = { ...spooled.source, ...known };
  return { ...spooled, source: copy, content: contentOf(head, headers), ...names };
}
