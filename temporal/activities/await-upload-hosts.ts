import { requireUploadHost } from '../../api/upload/session/upload-host';
import type { UploadGroupActivities } from '../contract/upload-groups';
import { uploadServiceOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { runGroup } from './groups/run-group';

/**
 * Asks once for the whole group whether the upload host answers, before a `start` is repeated. The workflow makes the
 * pause before it.
 */
export function awaitUploadHosts(deps: ActivityDeps): UploadGroupActivities['awaitUploadHosts'] {
  return (group) => {
    let answered: Promise<void> | undefined;
    return runGroup(
      deps,
      {
        name: 'awaitUploadHost',
        concurrency: group.inputs.length,
        isFirstContact: true,
        factsOf: () => ({}),
        async run(_input, { signal }) {
          answered ??= requireUploadHost(uploadServiceOf(deps, group.accountId), signal);
          await answered;
          return null;
        },
      },
      group,
    );
  };
}
