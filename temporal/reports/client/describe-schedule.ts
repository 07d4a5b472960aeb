import type { TemporalConnection } from '../../client/connect';
import { reportScheduleId } from '../types';
import type { FailureReportInput } from '../types';
import { hasCode } from '../../../api/errors';
import { askTemporal } from '../../client/rpc-failure';
import { mapAll } from '../../../api/map-in-order';

/** A schedule of an account. */
export interface ScheduleName {
  readonly accountId: string;
  readonly id: string;
}

/** A run that the schedule started. Runs of the same second share a workflow id. */
export interface StartedRun {
  readonly at: Date;
  readonly workflowId: string;
  readonly runId: string;
}

export interface ScheduleView {
  readonly id: string;
  /** The id in Temporal. */
  readonly scheduleId: string;
  readonly accountId: string;
  readonly paused: boolean;
  readonly note?: string;
  /** The next firings, at most ten. */
  readonly nextTimes: readonly Date[];
  readonly runs: number;
  readonly skipped: number;
  readonly missed: number;
  /** The last runs, oldest first. */
  readonly lastRuns: readonly StartedRun[];
  /** Reports that run now. */
  readonly running: readonly Pick<StartedRun, 'workflowId' | 'runId'>[];
  readonly input: FailureReportInput;
}

/** Rejects with `RequestRefused` if the account has no schedule with this id. */
export async function describeSchedule(
  connection: TemporalConnection,
  { accountId, id }: ScheduleName,
): Promise<ScheduleView> {
  const handle = connection.client.schedule.getHandle(reportScheduleId(accountId, id));
  const { scheduleId } = handle;
  const { state, info, action } = await askTemporal(connection, scheduleId, () => handle.describe());
  const lastRuns = info.recentActions.map(({ takenAt: at, action: { workflow } }) => ({
    ...{ at, workflowId: workflow.workflowId, runId: workflow.firstExecutionRunId },
  }));
  return {
    id,
    scheduleId,
    accountId,
    paused: state.paused,
    nextTimes: info.nextActionTimes,
    ...(state.note === undefined || state.note === '' ? {} : { note: state.note }),
    runs: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    lastRuns,
    running: info.runningActions.map(({ workflow: { workflowId, firstExecutionRunId: runId } }) => ({
      workflowId,
      runId,
    })),
    // Only this package makes schedules with such an id.
    input: action.args?.[0] as FailureReportInput,
  };
}

const CALLS_AT_ONCE = 16;

/**
 * The account's schedules of reports, sorted by id. Temporal's list can lag by seconds, but each listed schedule is read
 * freshly.
 */
export async function listSchedules(
  connection: TemporalConnection,
  { accountId }: Pick<ScheduleName, 'accountId'>,
): Promise<ScheduleView[]> {
  const prefix = reportScheduleId(accountId, '');
  const ids = await askTemporal(connection, undefined, async () => {
    const found: string[] = [];
    for await (const { scheduleId } of connection.client.schedule.list())
      if (scheduleId.startsWith(prefix)) found.push(scheduleId.slice(prefix.length));
    return found.sort();
  });
  const views = await mapAll(ids, CALLS_AT_ONCE, (id) =>
    describeSchedule(connection, { accountId, id }).catch((error: unknown) => {
      // It was deleted after it was listed.
      if (hasCode(error, 'RequestRefused')) return undefined;
      throw error;
    }),
  );
  return views.filter((view) => view !== undefined);
}

/**
 * Running reports continue. A new schedule with the same id begins from scratch. Rejects with `RequestRefused` if the
 * schedule does not exist.
 */
export async function deleteSchedule(
  connection: TemporalConnection,
  { accountId, id }: ScheduleName,
): Promise<void> {
  const handle = connection.client.schedule.getHandle(reportScheduleId(accountId, id));
  await askTemporal(connection, handle.scheduleId, () => handle.delete());
}
