import { dirname } from 'node:path';
import { openSource, pinAnySize, releaseSource } from '../../api/upload/sources/read-source';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pathOfSource } from '../../api/upload/sources/source-rules';
import { manifestFailure } from '../../manifest/manifest-failure';
import type { Settings } from '../../settings/settings';
import { withSourceAccess } from '../with-source-access';

interface ManifestReading {
  readonly settings: Settings;
  readonly cwd: string;
  readonly source: SourceDescriptor;
  readonly signal: AbortSignal;
}

/**
 * Runs `use` with the bytes of a manifest as this machine reads them. The user has named the path, so it may be outside
 * the roots. Rejects as `pinAnySize` does.
 */
export function withManifestBytes<T>(
  { settings, cwd, source, signal }: ManifestReading,
  use: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  return withSourceAccess(settings, cwd, async (allowed) => {
    const path = pathOfSource(source);
    const access = path === undefined ? allowed : { ...allowed, roots: [dirname(path)] };
    const pinned = await pinAnySize(access, source, signal).catch((error: unknown) => {
      throw manifestFailure(error);
    });
    try {
      const chunks = pinned.bytes === 0 ? [] : openSource(access, pinned).read(0, pinned.bytes, signal);
      return await use(copies(chunks));
    } finally {
      await releaseSource(access, pinned.source);
    }
  });
}

/** A source reuses its chunk for the next one, but a reader of manifests may keep chunks. */
async function* copies(
  chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
