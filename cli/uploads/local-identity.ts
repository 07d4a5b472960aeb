import { dirname } from 'node:path';
import { pinPath } from '../../api/upload/sources/path/path-pin';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { sourceIdentity } from '../../api/upload/sources/source-identity';

/**
 * Returns a function for the identity of a file's content on this machine. Undefined for other sources, which only a
 * worker can read.
 */
export function localIdentity(
  source: SourceDescriptor,
  host: string,
): (() => Promise<string | undefined>) | undefined {
  if (source.kind !== 'path' || (source.host ?? host) !== host) return undefined;
  return async () => sourceIdentity(await pinPath({ roots: [dirname(source.path)] }, source));
}
