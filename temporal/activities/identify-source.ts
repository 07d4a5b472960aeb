import { readSourceFacts } from '../../api/upload/sources/read-source';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { ForAccount, IdentifiedSource } from '../contract/upload';
import type { ActivityDeps } from './context/activity-deps';
import { inActivity } from './context/in-activity';
import { sourceAccess } from './context/source-access';

/** Identifies a source's content without reading it. */
export function identifySource(deps: ActivityDeps) {
  return ({
    accountId,
    source,
  }: ForAccount<{ readonly source: SourceDescriptor }>): Promise<IdentifiedSource> =>
    inActivity(async (signal) => {
      const { spoolDir: _never, ...access } = sourceAccess(deps, accountId, source);
      const { identity } = await readSourceFacts(access, source, signal);
      return identity === undefined ? {} : { identity };
    });
}
