import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError, ValidationError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import { parseWhen } from '../../api/when';
import type { Window } from '../../reports/period/window';
import type { TemporalConnection } from '../client/connect';
import type { HeldUp } from '../client/held-up-by';
import { noWorker, pollersOf } from '../client/pollers';
import { workflowResult } from '../client/workflow-result';
import { controlQueue, hostQueue } from '../contract';
import { REPORT_WORKFLOW, reportRunId } from '../contract/failure-report';
import type { FailureReportInput, FailureReportResult, ReportRun } from '../contract/failure-report';
import { errorOfFailure } from '../failure';
import { describeSchedule } from './describe-schedule';
import type { ScheduleView } from './describe-schedule';
import { outcomeOf } from './run-outcome';
import { askSchedule } from './schedule-failure';
import type { ScheduleName } from './steer-schedule';

const LOOK_EVERY_MS = 200;
const FIRES_WITHIN_MS = 30_000;

/** A run that was started by hand. */
export interface ReportRunHandle {
  readonly workflowId: string;
  /** It was at work already. */
  readonly joined: boolean;
  /** Rejects with what the run failed with, or with the signal's reason. */
  result(signal?: AbortSignal): Promise<FailureReportResult>;
  /** Rejects with `NoWorker` where nobody is left to run it. */
  requireWorker(): Promise<void>;
  /** Why a step of it failed that is tried again; undefined where none did, and once it has ended. Needs no worker. */
  heldUpBy(): Promise<HeldUp | undefined>;
}

/**
 * Lets the schedule fire now: what is due is reported and moves its state, as at its times. A run that is at work is joined. Rejects with `NoWorker` where nobody
 * would run it.
 */
export async function runSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
  signal?: AbortSignal,
): Promise<ReportRunHandle> {
  const before = await describeSchedule(connection, name);
  await requireReportWorker(connection, before.input);
  const [atWork] = before.running;
  if (atWork !== undefined) return handleOf(connection, before.input, { workflowId: atWork, joined: true });
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  const handle = connection.client.schedule.getHandle(before.scheduleId);
  await askSchedule(connection, name.id, () => handle.trigger(ScheduleOverlapPolicy.SKIP));
  const giveUpAt = systemClock.now() + FIRES_WITHIN_MS;
  while (systemClock.now() < giveUpAt) {
    const started = startedSince(before, await describeSchedule(connection, name));
    if (started !== undefined) return handleOf(connection, before.input, started);
    await systemClock.sleep(LOOK_EVERY_MS, signal);
  }
  throw new MediaServiceError(
    'Internal',
    `Temporal did not start a run of the schedule "${name.id}" within ${FIRES_WITHIN_MS / 1000} s.`,
    {
      hint: 'Look at the schedule in Temporal; it may be busy.',
    },
  );
}

function startedSince(
  before: ScheduleView,
  now: ScheduleView,
): { workflowId: string; joined: boolean } | undefined {
  const known = new Set(before.lastRuns.map(({ workflowId }) => workflowId));
  const started = now.lastRuns.findLast(({ workflowId }) => !known.has(workflowId));
  if (started !== undefined) return { workflowId: started.workflowId, joined: false };
  const [atWork] = now.running;
  return atWork === undefined ? undefined : { workflowId: atWork, joined: true };
}

export interface BackfillRange {
  readonly from: string;
  readonly to: string;
  /** Epoch ms. Default: the system's clock. */
  readonly now?: number;
}

/** Reports a window whatever was delivered, marked BACKFILL; the state stays as it is. `from` and `to` as `parseWhen` reads them, days of the schedule's zone. */
export async function backfillSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
  range: BackfillRange,
): Promise<ReportRunHandle & { readonly window: Window }> {
  const { input } = await describeSchedule(connection, name);
  const { zone } = input.schedule;
  const { now = systemClock.now() } = range;
  const from = parseWhen(range.from, { now, zone, field: 'from' });
  const to = parseWhen(range.to, { now, zone, field: 'to' });
  if (Date.parse(from) >= Date.parse(to)) {
    throw new ValidationError(
      'from',
      `from (${from}) is not before to (${to})`,
      'The range ends just before `to`: for one whole day give the next day as `to`.',
    );
  }
  if (Date.parse(from) >= now) {
    throw new ValidationError(
      'from',
      `the window from ${from} has not begun yet`,
      'Name one that is over: the report of the next one comes at its time.',
    );
  }
  const window = { from, to };
  return { ...(await startBeside(connection, input, { kind: 'backfill', window })), window };
}

/** Sends the report of the last period to all targets, marked TEST; the state stays as it is, and is tried. */
export async function testSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
): Promise<ReportRunHandle> {
  const { input } = await describeSchedule(connection, name);
  return startBeside(connection, input, { kind: 'test' });
}

async function startBeside(
  connection: TemporalConnection,
  input: FailureReportInput,
  run: ReportRun,
): Promise<ReportRunHandle> {
  await requireReportWorker(connection, input);
  const { accountId } = input.account;
  const { id } = input.schedule;
  const workflowId = `${reportRunId(accountId, id, run.kind)}-${randomBytes(6).toString('hex')}`;
  await askSchedule(connection, id, () =>
    connection.client.workflow.start(REPORT_WORKFLOW, {
      workflowId,
      taskQueue: controlQueue(input.queuePrefix, accountId),
      args: [{ ...input, run }],
      staticSummary: `Report ${id} of failed deliveries (${run.kind})`,
    }),
  );
  return handleOf(connection, input, { workflowId, joined: false });
}

function handleOf(
  connection: TemporalConnection,
  input: FailureReportInput,
  { workflowId, joined }: { readonly workflowId: string; readonly joined: boolean },
): ReportRunHandle {
  const handle: WorkflowHandle = connection.client.workflow.getHandle(workflowId);
  return {
    workflowId,
    joined,
    requireWorker: () => requireReportWorker(connection, input),
    heldUpBy: async () => (await outcomeOf(connection, workflowId)).heldUpBy,
    result: (signal) =>
      workflowResult<FailureReportResult>(connection, handle, {
        signal,
        endedBadly: async (failure) => errorOfFailure(failure),
      }),
  };
}

/** Resolves if somebody polls every queue that a run of the schedule needs; rejects with `NoWorker`, which names the one that nobody polls. */
export async function requireReportWorker(
  connection: TemporalConnection,
  { queuePrefix, account, schedule }: FailureReportInput,
): Promise<void> {
  const places = [
    schedule.state,
    ...schedule.targets.flatMap((target) => (target.kind === 'place' ? [target.folder] : [])),
  ];
  const hosts = places.flatMap((place) =>
    place.kind === 'path' && place.host !== undefined ? [place.host] : [],
  );
  const control = controlQueue(queuePrefix, account.accountId);
  if ((await pollersOf(connection, control)).length === 0) throw noWorker(control);
  for (const host of new Set(hosts)) {
    const queue = hostQueue(queuePrefix, account.accountId, host);
    if ((await pollersOf(connection, queue)).length > 0) continue;
    throw noWorker(
      queue,
      `A folder of the schedule lies on ${host}: start a worker there (MEDIA_SERVICE_HOST names a machine), or create the schedule with --shared-path if every worker mounts it.`,
    );
  }
}
