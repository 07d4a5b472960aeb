import { dirname } from 'node:path';
import { pinPath } from '../../api/upload/sources/path/path-pin';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { sourceIdentity } from '../../api/upload/sources/source-identity';

/** What tells the content of a file of this machine from other content; undefined for other sources, which only a worker can look at. */
export function localIdentity(
  source: SourceDescriptor,
  host: string,
): (() => Promise<string | undefined>) | undefined {
  if (source.kind !== 'path' || (source.host ?? host) !== host) return undefined;
  return async () => sourceIdentity(await pinPath({ roots: [dirname(source.path)] }, source));
}
