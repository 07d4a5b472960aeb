import { releaseSource as release } from '../../api/upload/sources/source-release';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { ForAccount } from '../contract';
import type { ActivityDeps } from './context/activity-deps';
import { inActivity } from './context/in-activity';
import { sourceAccess } from './context/source-access';

/** Removes a spooled or handed-over file; one that is gone already is released. */
export function releaseSource(deps: ActivityDeps) {
  return ({ accountId, source }: ForAccount<{ readonly source: SourceDescriptor }>): Promise<void> =>
    inActivity(() => release(sourceAccess(deps, accountId, source), source));
}
