import { STEP_RETRY_FOR_MS } from './groups/group-step';
import { findOrphans as search } from '../../api/upload/session/orphans';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { runGroup } from './groups/run-group';

/** Searches for sessions that a `start` without an answer left behind. */
export function findOrphans(deps: ActivityDeps): UploadGroupActivities['findOrphans'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'findOrphans',
        concurrency: 4,
        retryForMs: STEP_RETRY_FOR_MS,
        factsOf: () => ({}),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        run: (input, { signal }) => search(uploadServiceOf(deps, group.accountId), input, signal),
      },
      group,
    );
}
