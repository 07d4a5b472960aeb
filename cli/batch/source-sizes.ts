import { open, stat } from 'node:fs/promises';
import { MediaServiceError } from '../../api/errors';
import { unreadableReason } from '../../files/read-failure';
import { readSourceFacts } from '../../api/upload/sources/read-source';
import type { SourceAccess } from '../../api/upload/sources/source-access';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { pathOfSource } from '../../api/upload/sources/source-rules';

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
    const path = pathOfSource(source);
    if (path !== undefined) return which === 'none' ? undefined : pathSize(path);
    return which === 'all' ? (await readSourceFacts(sources, source, signal)).bytes : undefined;
  };
}

async function pathSize(path: string): Promise<number> {
  const wrong = (what: string): MediaServiceError =>
    new MediaServiceError('SourceMissing', `${path} ${what}`, {
      hint: "Check the path; relative paths start in the manifest's folder, or in --folder.",
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
