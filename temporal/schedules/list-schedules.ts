import type { ScheduleSummary } from '@temporalio/client';
import type { TemporalConnection } from '../client/connect';
import { errorOfRpc } from '../client/rpc-failure';
import type { ScheduleMemo } from '../contract/failure-report';
import type { ScheduleListing } from './describe-schedule';

/** Schedules of reports, by id; only this account's where one is given. Temporal's list can lag by seconds. */
export async function listSchedules(
  connection: TemporalConnection,
  { accountId }: { readonly accountId?: string } = {},
): Promise<ScheduleListing[]> {
  const found: ScheduleListing[] = [];
  try {
    for await (const summary of connection.client.schedule.list()) {
      const listing = listingOf(summary);
      if (listing !== undefined && (accountId ?? listing.accountId) === listing.accountId)
        found.push(listing);
    }
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function listingOf({ scheduleId, memo, state, info }: ScheduleSummary): ScheduleListing | undefined {
  const { kind, id, accountId, times = '', zone = '', targets = [] }: ScheduleMemo = memo ?? {};
  if (kind !== 'failure-report' || id === undefined || accountId === undefined) return undefined;
  const last = info.recentActions.at(-1);
  return {
    id,
    scheduleId,
    accountId,
    times,
    zone,
    targets,
    paused: state.paused,
    nextTimes: info.nextActionTimes,
    ...(last === undefined
      ? {}
      : { lastRun: { at: last.takenAt, workflowId: last.action.workflow.workflowId } }),
  };
}
