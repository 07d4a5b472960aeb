import { STEP_RETRY_FOR_MS } from './groups/group-step';
import { canonicalJson } from '../../api/json';
import { pinSource } from '../../api/upload/sources/read-source';
import type { UploadGroupActivities } from '../contract/upload-groups';
import type { ActivityDeps } from './context/activity-deps';
import { sourceAccess } from './context/source-access';
import { runGroup } from './groups/run-group';

/**
 * Pins the sources to their current content. A source that must first be copied to the spool folder becomes a file of
 * this machine, so its parts go to this host's queue.
 */
export function pinSources(deps: ActivityDeps): UploadGroupActivities['pinSources'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'pinSource',
        concurrency: 8,
        retryForMs: STEP_RETRY_FOR_MS,
        isFirstContact: true,
        factsOf: () => ({}),
        async run({ source }, { signal }) {
          const pinned = await pinSource(sourceAccess(deps, group.accountId, source), source, signal);
          const { source: now, ...facts } = pinned;
          return canonicalJson(now) === canonicalJson(source) ? facts : pinned;
        },
      },
      group,
    );
}
