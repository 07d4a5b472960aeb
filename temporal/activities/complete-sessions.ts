import { STEP_RETRY_FOR_MS } from './groups/group-step';
import { completeSession } from '../../api/upload/session/complete-session';
import { readSession } from '../../api/upload/session/session-status';
import { isTerminal } from '../../api/upload/session/session';
import type { UploadSession } from '../../api/upload/session/session';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { withinTime } from './context/within-time';
import { withoutRaw } from './read-sessions';
import { runGroup } from './groups/run-group';

/** A slower read would delay the whole group. */
const READ_MS = 1_000;

/**
 * Completes sessions, then reads each once, so that a file that is processed at once needs no poll. A retry is safe:
 * it first reads whether an earlier try completed the session. api.md, "POST …/complete".
 */
export function completeSessions(deps: ActivityDeps): UploadGroupActivities['completeSessions'] {
  return (group) => {
    const admit = (signal: AbortSignal): Promise<() => void> =>
      deps.accountRates.admitCall(group.accountId, signal);
    return runGroup(
      deps,
      {
        name: 'completeSession',
        concurrency: 64,
        retryForMs: STEP_RETRY_FOR_MS,
        factsOf: ({ uploadId }) => ({ uploadId }),
        admit: (_input, signal) => admit(signal),
        async run(input, { mayHaveRun: mayHaveBeenSent, signal }) {
          const service = uploadServiceOf(deps, group.accountId);
          const accepted = await completeSession(service, { ...input, mayHaveBeenSent }, signal);
          if (isTerminal(accepted.status)) return withoutRaw(accepted);
          // An error of this read does not matter: `complete` succeeded, and polls continue.
          const session = await withinTime(READ_MS, signal, async (ending) => {
            await admit(ending);
            return readSession(service, input.uploadId, ending);
          }).catch(() => accepted);
          return isTerminal(session.status) ? withoutRaw(session) : statusOf(accepted);
        },
      },
      group,
    );
  };
}

/** The poll that sees the end of the session returns the other fields. */
function statusOf({ uploadId, status }: UploadSession): UploadSession {
  return { uploadId, status, parts: [], raw: {} };
}
