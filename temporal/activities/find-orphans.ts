import { findOrphans as search } from '../../api/upload/session/orphans';
import type { OrphanSearch } from '../../api/upload/upload-steps';
import type { ForAccount } from '../contract';
import { accountOf } from './context/activity-deps';
import type { ActivityDeps } from './context/activity-deps';
import { inBeatingActivity } from './context/in-activity';

type Input = ForAccount<{ readonly ingestKey: string; readonly known: readonly string[] }>;

/** Searches for sessions that a lost `start` left behind. */
export function findOrphans(deps: ActivityDeps) {
  return ({ accountId, ...input }: Input): Promise<OrphanSearch> =>
    inBeatingActivity((signal) => search(accountOf(deps, accountId).service, input, signal));
}
