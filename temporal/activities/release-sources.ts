import { STEP_RETRY_FOR_MS } from './groups/group-step';
import { releaseSource } from '../../api/upload/sources/read-source';
import type { UploadGroupActivities } from '../contract/upload-groups';
import type { ActivityDeps } from './context/activity-deps';
import { sourceAccess } from './context/source-access';
import { runGroup } from './groups/run-group';

/** Removes spooled and handed-over files. A file that no longer exists counts as released. */
export function releaseSources(deps: ActivityDeps): UploadGroupActivities['releaseSources'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'releaseSource',
        concurrency: 8,
        retryForMs: STEP_RETRY_FOR_MS,
        factsOf: () => ({}),
        async run({ source }) {
          await releaseSource(sourceAccess(deps, group.accountId, source), source);
          return null;
        },
      },
      group,
    );
}
