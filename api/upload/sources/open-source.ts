import type { PinnedSource, SourceReader } from './source';
import type { SourceAccess } from './source-access';
import { openHttpSource } from './http/http-source';
import { openPath } from './path/path-source';
import { openS3Source } from './s3/s3-source';

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
      return openHttpSource(access, { ...pinned, source });
    case 's3':
      return openS3Source(access, { ...pinned, source });
  }
}
