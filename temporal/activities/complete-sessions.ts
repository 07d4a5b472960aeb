import { completeSession } from '../../api/upload/session/complete-session';
import { isTerminal } from '../../api/upload/session/session';
import type { UploadSession } from '../../api/upload/session/session';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { withoutRaw } from './context/without-raw';
import { runGroup } from './groups/run-group';

const RETRY_FOR_MS = 3_000;

/** Completes sessions; safe to try again, since each is first read for whether an earlier try arrived. api.md, "POST …/complete". */
export function completeSessions(deps: ActivityDeps): UploadGroupActivities['completeSessions'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'completeSession',
        concurrency: 16,
        retryForMs: RETRY_FOR_MS,
        factsOf: ({ uploadId }) => ({ uploadId }),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        async run(input, { mayHaveRun: mayHaveBeenSent, signal }) {
          const { service } = accountOf(deps, group.accountId);
          const session = await completeSession(service, { ...input, mayHaveBeenSent }, signal);
          return isTerminal(session.status) ? withoutRaw(session) : statusOf(session);
        },
      },
      group,
    );
}

/** The read that finds its end brings the rest. */
function statusOf({ uploadId, status }: UploadSession): UploadSession {
  return { uploadId, status, parts: [], raw: {} };
}
