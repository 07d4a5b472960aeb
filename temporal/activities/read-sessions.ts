import { STEP_RETRY_FOR_MS } from './groups/group-step';
import { readKnownSession } from '../../api/upload/session/session-status';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { runGroup } from './groups/run-group';
import type { UploadSession } from '../../api/upload/session/session';

/** Reads each session once. api.md, "GET {upload_url}/upload/{uploadId}". */
export function readSessions(deps: ActivityDeps): UploadGroupActivities['readSessions'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'readSession',
        concurrency: 16,
        retryForMs: STEP_RETRY_FOR_MS,
        factsOf: ({ uploadId }) => ({ uploadId }),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        run: async ({ uploadId }, { signal }) =>
          withoutRaw(await readKnownSession(uploadServiceOf(deps, group.accountId), uploadId, signal)),
      },
      group,
    );
}

/**
 * A session that may enter a history, without raw fields and parts. The raw fields are not read there, and they may
 * contain signed URLs. The upload knows its parts better.
 */
export function withoutRaw(session: UploadSession): UploadSession {
  return { ...session, parts: [], raw: {} };
}
