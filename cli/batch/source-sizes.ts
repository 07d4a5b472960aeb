import { open, stat } from 'node:fs/promises';
import { MediaServiceError } from '../../api/errors';
import { unreadableReason } from '../../api/upload/sources/source-failure';
import { pinHttpSource } from '../../api/upload/sources/http/http-pin';
import { pinS3Source } from '../../api/upload/sources/s3/s3-pin';
import type { SourceAccess } from '../../api/upload/sources/source-access';
import type { SourceDescriptor } from '../../api/upload/sources/source';

export const SOURCES_TO_LOOK_AT = ['none', 'paths', 'all'] as const;
export type SourcesToLookAt = (typeof SOURCES_TO_LOOK_AT)[number];

/**
 * Returns sizes of sources in bytes; undefined if not requested or not known. Rejects for a source that is missing or
 * can't be read.
 */
export function sourceSizes(
  which: SourcesToLookAt,
  sources: SourceAccess,
  signal: AbortSignal,
): (source: SourceDescriptor) => Promise<number | undefined> {
  return async (source) => {
    if (source.kind === 'path') return which === 'none' ? undefined : pathSize(source.path);
    if (which !== 'all') return undefined;
    if (source.kind === 's3') return (await pinS3Source(sources, source, signal)).bytes;
    const pinned = await pinHttpSource(sources, source, signal);
    return pinned === 'needs-spool' ? undefined : pinned.bytes;
  };
}

async function pathSize(path: string): Promise<number> {
  const wrong = (what: string): MediaServiceError =>
    new MediaServiceError('SourceMissing', `${path} ${what}`, {
      hint: 'Check the path; relative paths start in the manifest’s folder, or in --folder.',
    });
  const facts = await stat(path).catch((error: unknown) => {
    throw wrong(unreadableReason(error));
  });
  if (facts.isFile()) {
    const file = await open(path).catch((error: unknown) => {
      throw wrong(unreadableReason(error));
    });
    await file.close();
    return facts.size;
  }
  throw wrong(facts.isDirectory() ? 'is a folder' : 'is not a regular file');
}
