import type { ScheduleDescription } from '@temporalio/client';
import type { TemporalConnection } from '../../client/connect';
import { reportScheduleId } from '../types';
import type { FailureReportInput } from '../types';
import { hasCode, MediaServiceError } from '../../../api/errors';
import { isJsonObject } from '../../../api/json';
import { errorOfRpc } from '../../client/rpc-failure';
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
  const description = await askSchedule(connection, id, () => handle.describe());
  const { state, info } = description;
  const input = inputOf(description, id);
  const lastRuns = info.recentActions.map(({ takenAt, action }) => ({
    at: takenAt,
    workflowId: action.workflow.workflowId,
    runId: action.workflow.firstExecutionRunId,
  }));
  return {
    id,
    scheduleId: description.scheduleId,
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
    input,
  };
}

function inputOf({ action }: ScheduleDescription, id: string): FailureReportInput {
  const input: unknown = action.args?.[0];
  if (isReportInput(input)) return input;
  throw new MediaServiceError('RequestRefused', `The schedule "${id}" was not made by this program.`, {
    outcome: 'refused',
    hint: 'Choose another id, or remove it in Temporal.',
  });
}

function isReportInput(value: unknown): value is FailureReportInput {
  return isJsonObject(value) && isJsonObject(value['schedule']) && isJsonObject(value['account']);
}

/** Converts a failed call about a schedule to our error. Our own errors pass unchanged. */
export function errorOfSchedule(connection: TemporalConnection, id: string, error: unknown): Error {
  if (error instanceof Error && error.name === 'ScheduleNotFoundError') {
    return new MediaServiceError(
      'RequestRefused',
      `There is no schedule "${id}" of this account.`,
      { outcome: 'refused', hint: '`media-service schedules list` lists the schedules.' },
      { cause: error },
    );
  }
  return errorOfRpc(connection, undefined, error);
}

/** Runs a call about a schedule and converts its failure to our error. */
export async function askSchedule<T>(
  connection: TemporalConnection,
  id: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw errorOfSchedule(connection, id, error);
  }
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
  const ids: string[] = [];
  try {
    for await (const { scheduleId } of connection.client.schedule.list())
      if (scheduleId.startsWith(prefix)) ids.push(scheduleId.slice(prefix.length));
  } catch (error) {
    throw errorOfRpc(connection, undefined, error);
  }
  const views = await mapAll(ids.sort(), CALLS_AT_ONCE, (id) => existing(connection, { accountId, id }));
  return views.filter((view) => view !== undefined);
}

/** Undefined if the schedule was deleted after it was listed, or if it is not a report. */
async function existing(
  connection: TemporalConnection,
  name: ScheduleName,
): Promise<ScheduleView | undefined> {
  try {
    return await describeSchedule(connection, name);
  } catch (error) {
    if (hasCode(error, 'RequestRefused')) return undefined;
    throw error;
  }
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
  await askSchedule(connection, id, () => handle.delete());
}
