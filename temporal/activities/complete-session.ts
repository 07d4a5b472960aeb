import { Context } from '@temporalio/activity';
import { completeSession as complete } from '../../api/upload/session/complete-session';
import type { UploadSession } from '../../api/upload/session/session';
import type { CompleteInput } from '../../api/upload/upload-steps';
import type { ForAccount } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';
import { withoutRaw } from './context/without-raw';

/** Completes the session; safe to try again, since it first reads whether an earlier try arrived. api.md, "POST …/complete". */
export function completeSession(deps: ActivityDeps) {
  return ({ accountId, ...input }: ForAccount<CompleteInput>): Promise<UploadSession> =>
    inBeatingActivity(async (signal) => {
      const { service } = accountOf(deps, accountId);
      const mayHaveBeenSent = Context.current().info.attempt > 1;
      return withoutRaw(await complete(service, { ...input, mayHaveBeenSent }, signal));
    });
}
