import { MediaServiceError } from '../api/errors';
import { openSource, pinSource } from '../files/sources/read-source';
import { releaseSource } from '../files/sources/release-source';
import type { SourceAccess } from '../files/sources/source-access';
import type { SourceDescriptor } from '../api/upload/sources/source';

/**
 * Yields the bytes of a manifest. A copy of it that was needed is removed at the end. Rejects as `pinSource` does, with the manifest's name in place of a row's source.
 */
export async function* manifestBytes(
  access: SourceAccess,
  source: SourceDescriptor,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pinned = await pinSource(access, source, signal).catch((error: unknown) => {
    throw manifestFailure(error);
  });
  try {
    if (pinned.bytes === 0) return;
    // The source reuses its chunks, but the manifest's reader may keep them.
    for await (const chunk of openSource(access, pinned).read(0, pinned.bytes, signal))
      yield Buffer.from(chunk);
  } finally {
    await releaseSource(access, pinned.source);
  }
}

/** So that it differs from an error of a row's source. Other errors pass unchanged. */
function manifestFailure(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const { code, facts } = error;
  const { field, problem } = facts;
  if (field?.startsWith('source') !== true || problem === undefined) return error;
  return new MediaServiceError(
    code,
    `the manifest ${problem}`,
    { ...facts, field: 'manifest' },
    { cause: error },
  );
}
