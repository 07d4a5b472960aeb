import { given } from '../../../api/json';
import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import { mapAll } from '../../../api/map-in-order';
import { hostOfSource } from '../../../api/upload/sources/source-rules';
import type { TemporalConnection } from '../../client/connect';
import { findWaitReason } from '../../client/wait-reason';
import type { WaitReason } from '../../client/wait-reason';
import { distinctHosts } from '../../client/living-workers';
import type { WorkerNeed } from '../../client/living-workers';
import { workflowResult } from '../../client/workflow-result';
import type { FailureReportInput, FailureReportResult, HandedOn } from '../types';
import { stepFailureOf } from '../../failure';
import { describeSchedule } from './describe-schedule';
import type { ScheduleName, ScheduleView, StartedRun } from './describe-schedule';
import { askTemporal, errorOfRpc, isNotFound } from '../../client/rpc-failure';

const LOOK_EVERY_MS = 200;
const FIRES_WITHIN_MS = 30_000;
const LOOKS_AT_ONCE = 4;

/** A run that a user started by hand. */
export interface ReportRunHandle {
  readonly workflowId: string;
  /** The run was active already. */
  readonly joined: boolean;
  /** The zone of the schedule, for times that people read. */
  readonly zone: string;
  /** The result of the run. Rejects with the run's error, or with the signal's reason. */
  result(signal?: AbortSignal): Promise<FailureReportResult>;
  /** The workers that the run needs. */
  readonly need: WorkerNeed;
}

/**
 * Makes the schedule fire now. As at its regular times, it reports what is due. An active run is
 * joined. The run waits in Temporal until a worker takes it.
 */
export async function runSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
  signal?: AbortSignal,
): Promise<ReportRunHandle> {
  const before = await describeSchedule(connection, name);
  const [atWork] = before.running;
  if (atWork !== undefined) return handleOf(connection, before.input, { ...atWork, joined: true });
  const { ScheduleOverlapPolicy } = await import('@temporalio/client');
  const handle = connection.client.schedule.getHandle(before.scheduleId);
  await askTemporal(connection, before.scheduleId, () => handle.trigger(ScheduleOverlapPolicy.SKIP));
  const known = new Set(before.lastRuns.map(({ runId }) => runId));
  const giveUpAt = systemClock.now() + FIRES_WITHIN_MS;
  while (systemClock.now() < giveUpAt) {
    const { lastRuns } = await describeSchedule(connection, name);
    const started = lastRuns.findLast(({ runId }) => !known.has(runId));
    if (started !== undefined) return handleOf(connection, before.input, { ...started, joined: false });
    await systemClock.sleep(LOOK_EVERY_MS, signal);
  }
  throw new MediaServiceError(
    'Internal',
    `Temporal did not start a run of the schedule "${name.id}" within ${FIRES_WITHIN_MS / 1000} s.`,
    { hint: 'Look at the schedule in Temporal; it may be busy.' },
  );
}

function handleOf(
  connection: TemporalConnection,
  input: FailureReportInput,
  { workflowId, runId, joined }: Pick<StartedRun, 'workflowId' | 'runId'> & { readonly joined: boolean },
): ReportRunHandle {
  const handle: WorkflowHandle = connection.client.workflow.getHandle(workflowId, runId);
  return {
    workflowId,
    joined,
    zone: input.schedule.zone,
    need: reportNeed(input),
    result: async (signal) => {
      const { delivered: _delivered, ...result } = await workflowResult<FailureReportResult & HandedOn>(
        connection,
        handle,
        { signal },
      );
      return result;
    },
  };
}

/** The workers that a run of the schedule needs. */
export function reportNeed({ queuePrefix, account, schedule }: FailureReportInput): WorkerNeed {
  const hosts = schedule.targets.map((target) =>
    target.kind === 'folder' ? hostOfSource(target.folder) : undefined,
  );
  return { queuePrefix, accountId: account.accountId, hosts: distinctHosts(hosts) };
}

export interface RunOutcome {
  /** As Temporal names it, in lower case: `running`, `failed`, `timed_out`. `unknown`: it no longer has the run. */
  readonly status: string;
  /** The error of a failed run, with a line for each target. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** What an active run waits for: the service, or one of its targets. */
  readonly waitReason?: WaitReason;
}

/** The outcome of a run. Needs no worker. */
async function outcomeOf(
  connection: TemporalConnection,
  { workflowId, runId }: Pick<StartedRun, 'workflowId' | 'runId'>,
): Promise<RunOutcome> {
  const handle = connection.client.workflow.getHandle(workflowId, runId);
  try {
    const description = await handle.describe();
    const known = description.status.name.toLowerCase();
    if (known === 'running') {
      return { status: known, ...given({ waitReason: await findWaitReason(connection, description) }) };
    }
    if (known !== 'failed') return { status: known };
  } catch (error) {
    if (isNotFound(error)) return { status: 'unknown' };
    throw errorOfRpc(connection, workflowId, error);
  }
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  const { code, message, facts } = stepFailureOf(failure);
  return { status: 'failed', error: { code, message, ...given({ hint: facts.hint }) } };
}

export type LastRun = StartedRun & RunOutcome;

export interface ShownSchedule extends ScheduleView {
  readonly lastRuns: readonly LastRun[];
}

/**
 * The schedule with the outcomes of its last runs. Rejects with `RequestRefused` if the account has no schedule with
 * this id.
 */
export async function showSchedule(
  connection: TemporalConnection,
  name: ScheduleName,
): Promise<ShownSchedule> {
  return withOutcomes(connection, await describeSchedule(connection, name));
}

/** The schedules, each only with its last run and the outcome of it. */
export function withLastOutcomes(
  connection: TemporalConnection,
  schedules: readonly ScheduleView[],
): Promise<ShownSchedule[]> {
  return mapAll(schedules, LOOKS_AT_ONCE, (schedule) =>
    withOutcomes(connection, { ...schedule, lastRuns: schedule.lastRuns.slice(-1) }),
  );
}

async function withOutcomes(connection: TemporalConnection, view: ScheduleView): Promise<ShownSchedule> {
  const lastRuns = await Promise.all(
    view.lastRuns.map(async (run) => ({ ...run, ...(await outcomeOf(connection, run)) })),
  );
  return { ...view, lastRuns };
}
