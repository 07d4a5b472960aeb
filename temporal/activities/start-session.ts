import { startSession as start } from '../../api/upload/session/start-session';
import type { StartedSession, StartInput } from '../../api/upload/upload-steps';
import type { ForAccount, Sealed } from '../contract';
import { sealedUrl } from './context/part-url';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';

/** Sends `start` exactly once; its URLs enter the history sealed. api.md, "POST {upload_url}/upload/start". */
export function startSession(deps: ActivityDeps) {
  return ({ accountId, ...input }: ForAccount<StartInput>): Promise<StartedSession<Sealed>> =>
    inBeatingActivity(async (signal) => {
      const { service, sealKeys } = accountOf(deps, accountId);
      const session = await start(service, input, { signal });
      const urls = session.urls.map((one) => sealedUrl(sealKeys, session.uploadId, one));
      return { ...session, urls };
    });
}
