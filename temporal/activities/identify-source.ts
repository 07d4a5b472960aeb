import { identifyHttpSource } from '../../api/upload/sources/http/http-pin';
import { sourceIdentity } from '../../api/upload/sources/source-identity';
import { pinSource } from '../../api/upload/sources/source-pin';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { ForAccount, IdentifiedSource } from '../contract';
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
      const identity =
        source.kind === 'http'
          ? await identifyHttpSource(access, source, signal)
          : sourceIdentity(await pinSource(access, source, signal));
      return identity === undefined ? {} : { identity };
    });
}
