import { pinSource } from '../../api/upload/sources/source-pin';
import type { UploadGroupActivities } from '../contract/upload-groups';
import type { ActivityDeps } from './context/activity-deps';
import { sourceAccess } from './context/source-access';
import { runGroup } from './groups/run-group';

const RETRY_FOR_MS = 3_000;

/**
 * Fixes what the sources are. One that has to be copied to the spool folder first becomes a file of this machine: its parts then go
 * to this host's queue.
 */
export function pinSources(deps: ActivityDeps): UploadGroupActivities['pinSources'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'pinSource',
        concurrency: 8,
        retryForMs: RETRY_FOR_MS,
        factsOf: () => ({}),
        async run({ source }, { signal }) {
          const pinned = await pinSource(sourceAccess(deps, group.accountId, source), source, signal);
          const spooled = source.kind === 'http' && pinned.source.kind === 'path';
          return spooled ? { ...pinned, source: { ...pinned.source, host: deps.host } } : pinned;
        },
      },
      group,
    );
}
