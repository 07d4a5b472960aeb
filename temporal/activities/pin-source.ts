import { pinSource as pin } from '../../api/upload/sources/source-pin';
import type { PinnedSource, SourceDescriptor } from '../../api/upload/sources/source';
import type { ForAccount } from '../contract';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';
import { sourceAccess } from './context/source-access';

/**
 * Fixes what the source is. One that has to be copied to the spool folder first becomes a file of this machine: its parts then go
 * to this host's queue.
 */
export function pinSource(deps: ActivityDeps) {
  return ({ accountId, source }: ForAccount<{ readonly source: SourceDescriptor }>): Promise<PinnedSource> =>
    inBeatingActivity(async (signal) => {
      const pinned = await pin(sourceAccess(deps, accountId, source), source, signal);
      const spooled = source.kind === 'http' && pinned.source.kind === 'path';
      return spooled ? { ...pinned, source: { ...pinned.source, host: deps.host } } : pinned;
    });
}
