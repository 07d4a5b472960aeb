import type { PinnedSource, SourceReader } from './source';
import type { SourceAccess } from './source-access';
import { openHttpSource } from './http/http-source';
import { openPath } from './path/path-source';

/** Reads ranges of a pinned source; each range is held against the pin, see `SourceReader`. Opens nothing until a range is read. */
export function openSource(access: SourceAccess, pinned: PinnedSource): SourceReader {
  const { source } = pinned;
  return source.kind === 'path'
    ? openPath(access, { ...pinned, source })
    : openHttpSource(access, { ...pinned, source });
}
