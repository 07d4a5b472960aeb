import type { UploadSession } from '../../api/upload/session/session';
import { readSession as read } from '../../api/upload/session/session-status';
import type { ForAccount } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';
import { withoutRaw } from './context/without-raw';

/** Reads the session once. api.md, "GET {upload_url}/upload/{uploadId}". */
export function readSession(deps: ActivityDeps) {
  return ({ accountId, uploadId }: ForAccount<{ readonly uploadId: string }>): Promise<UploadSession> =>
    inBeatingActivity(async (signal) =>
      withoutRaw(await read(accountOf(deps, accountId).service, uploadId, signal)),
    );
}
