import { hasCode } from '../../api/errors';
import { mapAll } from '../../api/map-in-order';
import type { TemporalConnection } from '../client/connect';
import { errorOfRpc } from '../client/rpc-failure';
import type { ScheduleMemo } from '../contract/failure-report';
import { describeSchedule } from './describe-schedule';
import type { ScheduleListing, ScheduleName } from './describe-schedule';

const CALLS_AT_ONCE = 16;

/**
 * Schedules of reports, sorted by id; with `accountId`, only those of this account. Temporal's list can lag by
 * seconds, but each listed schedule is read freshly.
 */
export async function listSchedules(
  connection: TemporalConnection,
  { accountId }: { readonly accountId?: string } = {},
): Promise<ScheduleListing[]> {
  const names = await reportSchedules(connection);
  const chosen = names.filter((name) => (accountId ?? name.accountId) === name.accountId);
  const views = await mapAll(chosen, CALLS_AT_ONCE, (name) => listingOf(connection, name));
  const found = views.filter((view) => view !== undefined);
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function reportSchedules(connection: TemporalConnection): Promise<ScheduleName[]> {
  const names: ScheduleName[] = [];
  try {
    for await (const { memo } of connection.client.schedule.list()) {
      const { kind, id, accountId }: ScheduleMemo = memo ?? {};
      if (kind === 'failure-report' && id !== undefined && accountId !== undefined)
        names.push({ id, accountId });
    }
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
  return names;
}

/** Undefined if the schedule was deleted after it was listed. */
async function listingOf(
  connection: TemporalConnection,
  name: ScheduleName,
): Promise<ScheduleListing | undefined> {
  try {
    const { id, scheduleId, accountId, times, zone, targets, paused, nextTimes, lastRun } =
      await describeSchedule(connection, name);
    const listing = { id, scheduleId, accountId, times, zone, targets, paused, nextTimes };
    return lastRun === undefined ? listing : { ...listing, lastRun };
  } catch (error) {
    if (hasCode(error, 'RequestRefused')) return undefined;
    throw error;
  }
}
