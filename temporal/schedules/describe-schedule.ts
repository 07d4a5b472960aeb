import type { ScheduleDescription } from '@temporalio/client';
import type { TemporalConnection } from '../client/connect';
import { reportScheduleId } from '../contract/failure-report';
import type { FailureReportInput, ReportSchedule } from '../contract/failure-report';
import { MediaServiceError } from '../../api/errors';
import { isJsonObject } from '../../api/json';
import { askSchedule } from './schedule-failure';

/** A schedule of an account. */
export interface ScheduleName {
  readonly accountId: string;
  readonly id: string;
}

/** A schedule as lists show it. */
export interface ScheduleListing {
  readonly id: string;
  /** The id in Temporal. */
  readonly scheduleId: string;
  readonly accountId: string;
  /** `every day at 07:00`. */
  readonly times: string;
  readonly zone: string;
  readonly targets: readonly string[];
  readonly paused: boolean;
  /** The next firings, at most ten. */
  readonly nextTimes: readonly Date[];
  readonly lastRun?: StartedRun;
}

/** A run that the schedule started. Runs of the same second share a workflow id. */
export interface StartedRun {
  readonly at: Date;
  readonly workflowId: string;
  readonly runId: string;
}

/** A schedule with all its known fields. */
export interface ScheduleView extends ScheduleListing {
  readonly note?: string;
  readonly runs: number;
  readonly skipped: number;
  readonly missed: number;
  /** The last runs, oldest first. */
  readonly lastRuns: readonly StartedRun[];
  /** Reports that run now. */
  readonly running: readonly Pick<StartedRun, 'workflowId' | 'runId'>[];
  readonly input: FailureReportInput;
  readonly settings: ReportSchedule;
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
  const lastRun = lastRuns.at(-1);
  return {
    id,
    scheduleId: description.scheduleId,
    accountId,
    times: input.schedule.times,
    zone: input.schedule.zone,
    targets: input.schedule.targets.map(({ key }) => key),
    paused: state.paused,
    nextTimes: info.nextActionTimes,
    ...(lastRun === undefined ? {} : { lastRun }),
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
    settings: input.schedule,
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
