import { startSession } from '../../api/upload/session/start-session';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { sealedUrl } from '../sealed-url';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { runGroup } from './groups/run-group';

/** Sends each `start` exactly once. Its URLs enter the history sealed. api.md, "POST {upload_url}/upload/start". */
export function startSessions(deps: ActivityDeps): UploadGroupActivities['startSessions'] {
  return (group) =>
    runGroup(
      deps,
      {
        name: 'startSession',
        concurrency: 32,
        once: true,
        isFirstContact: true,
        factsOf: () => ({}),
        admit: (_input, signal) => deps.accountRates.admitCall(group.accountId, signal),
        async run(input, { signal }) {
          const { service, sealKeys } = accountOf(deps, group.accountId);
          const session = await startSession(service, input, { signal });
          const urls = session.urls.map((one) => sealedUrl(sealKeys, session.uploadId, one));
          return { ...session, urls };
        },
      },
      group,
    );
}
