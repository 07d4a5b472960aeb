import path from 'node:path';
import { mimeTypeOf } from '../../request/file-type';
import type { PathSource, PinnedSource } from '../source';
import type { SourceAccess } from '../source-access';
import { openPathSource } from './path-source';
import { pathFingerprint } from './path-change';
import { systemCodeOf } from '../../../../files/system-error';
import { contentOf, HEAD_BYTES } from '../source-content';
import { sourceRefused, sourceTooYoung } from '../source-failure';
import { unreadablePath } from '../../../../files/roots/away-root';

/**
 * Pins a file inside the allowed roots, or a spooled copy. Rejects if it is missing, unreadable, outside the roots, not
 * a regular file, or younger than its minimum age.
 */
export async function pinPath(
  access: Pick<SourceAccess, 'roots' | 'spoolDir'>,
  source: PathSource,
): Promise<PinnedSource> {
  const file = await openPathSource(access, source);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? 'is a folder' : 'is not a regular file';
      throw sourceRefused(source.path, what, { hint: 'Give the path of one file.' });
    }
    requireAge(source, Number(stats.mtimeMs));
    const fileName = source.fileName ?? path.basename(source.path);
    const mimeType = mimeTypeOf(path.extname(fileName));
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return {
      source,
      bytes: Number(stats.size),
      fingerprint: pathFingerprint(stats, source.host !== undefined),
      fileName,
      content: contentOf(head.subarray(0, bytesRead)),
      ...(mimeType === undefined ? {} : { mimeType }),
    };
  } catch (error) {
    throw systemCodeOf(error) === undefined ? error : await unreadablePath(source.path, access.roots, error);
  } finally {
    await file.close();
  }
}

function requireAge({ path: file, minAgeMs = 0 }: PathSource, writtenAt: number): void {
  const ageMs = Date.now() - writtenAt;
  if (ageMs < minAgeMs) throw sourceTooYoung(file, ageMs, minAgeMs);
}
