import { readSession } from '../../api/upload/session/session-status';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { withoutRaw } from './context/without-raw';
import { runGroup } from './groups/run-group';

const RETRY_FOR_MS = 3_000;

/** Reads each session once. api.md, "GET {upload_url}/upload/{uploadId}". */
export function readSessions(deps: ActivityDeps): UploadGroupActivities['readSessions'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'readSession',
        concurrency: 16,
        retryForMs: RETRY_FOR_MS,
        factsOf: ({ uploadId }) => ({ uploadId }),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        run: async ({ uploadId }, { signal }) =>
          withoutRaw(await readSession(uploadServiceOf(deps, group.accountId), uploadId, signal)),
      },
      group,
    );
}
