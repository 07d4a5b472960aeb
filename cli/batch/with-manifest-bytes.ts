import { dirname } from 'node:path';
import { createNamedSecrets } from '../../api/named-secrets';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { openSource } from '../../api/upload/sources/open-source';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pinSource } from '../../api/upload/sources/source-pin';
import { releaseSource } from '../../api/upload/sources/source-release';
import type { SourceAccess } from '../../api/upload/sources/source-access';
import type { Settings } from '../../settings/settings';
import { withPlaces } from '../with-places';

export interface ManifestReading {
  readonly settings: Settings;
  readonly cwd: string;
  readonly source: SourceDescriptor;
  readonly signal: AbortSignal;
}

/** Runs `use` with the bytes of a manifest as this machine reads them: whoever names its path may read it, whatever the roots. Rejects as `pinSource`. */
export async function withManifestBytes<T>(
  { settings, cwd, source, signal }: ManifestReading,
  use: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const transport = createUndiciTransport();
  const { sourceHosts, spoolDir } = settings;
  try {
    return await withPlaces(settings, cwd, async ({ roots, s3 }) => {
      const access: SourceAccess = {
        roots: source.kind === 'path' ? [dirname(source.path)] : roots,
        sourceHosts,
        transport,
        s3,
        secrets: createNamedSecrets(settings.secrets),
        unseal: String,
        ...(spoolDir === undefined ? {} : { spoolDir }),
      };
      const pinned = await pinSource(access, source, signal);
      try {
        return await use(copies(openSource(access, pinned).read(0, pinned.bytes, signal)));
      } finally {
        await releaseSource(access, pinned.source);
      }
    });
  } finally {
    await transport.close();
  }
}

/** A source's chunks are its own until the next one; a manifest's reader may keep them. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
