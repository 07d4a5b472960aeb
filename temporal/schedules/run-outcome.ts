import { adviceOf, type Advice } from '../../api/advice';
import type { TemporalConnection } from '../client/connect';
import { lookOver, findWaitReason, type WaitReason } from '../client/wait-reason';
import { errorOfRpc, isNotFound } from '../client/rpc-failure';
import { stepFailureOf } from '../failure';
import type { StartedRun } from './describe-schedule';

/** `unknown`: Temporal no longer has the run. */
type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timedOut' | 'unknown';

export interface RunOutcome {
  readonly status: RunStatus;
  /** The error of a failed run, with a line for each target. */
  readonly error?: Advice & { readonly code: string; readonly message: string };
  /** What an active run waits for: the service, or one of its targets. */
  readonly waitReason?: WaitReason;
}

const STATUSES: Readonly<Record<string, RunStatus>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timedOut',
};

/** The outcome of a run. Needs no worker. */
export async function outcomeOf(
  connection: TemporalConnection,
  { workflowId, runId }: Pick<StartedRun, 'workflowId' | 'runId'>,
): Promise<RunOutcome> {
  const handle = connection.client.workflow.getHandle(workflowId, runId);
  try {
    const description = await handle.describe();
    const known = STATUSES[description.status.name] ?? 'unknown';
    if (known === 'running') {
      const obstacle = await findWaitReason(description, lookOver(connection));
      return { status: known, ...(obstacle === undefined ? {} : { waitReason: obstacle }) };
    }
    if (known !== 'failed') return { status: known };
  } catch (error) {
    if (isNotFound(error)) return { status: 'unknown' };
    throw errorOfRpc(connection, workflowId, error);
  }
  const failure: unknown = await handle.result().then(
    () => undefined,
    (error: unknown) => error,
  );
  const { code, message, facts } = stepFailureOf(failure);
  return {
    status: 'failed',
    error: { code, message, ...adviceOf(facts) },
  };
}

/** The runs with their outcomes. */
export function withOutcomes<Run extends StartedRun>(
  connection: TemporalConnection,
  runs: readonly Run[],
): Promise<(Run & RunOutcome)[]> {
  return Promise.all(runs.map(async (run) => ({ ...run, ...(await outcomeOf(connection, run)) })));
}
