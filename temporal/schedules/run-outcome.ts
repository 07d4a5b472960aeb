import type { TemporalConnection } from '../client/connect';
import { lookOver, heldUpBy, type HeldUp } from '../client/held-up-by';
import { errorOfRpc } from '../client/rpc-failure';
import { stepFailureOf } from '../failure';

/** `unknown`: Temporal keeps it no longer. */
export type RunStatus =
  'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timedOut' | 'unknown';

export interface RunOutcome {
  readonly status: RunStatus;
  /** What a run that failed failed with: a line for each target. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** What a run that is at work waits for: its state, or one of its targets. */
  readonly heldUpBy?: HeldUp;
}

const STATUSES: Readonly<Record<string, RunStatus>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timedOut',
};

/** What became of a run. Needs no worker. */
export async function outcomeOf(connection: TemporalConnection, workflowId: string): Promise<RunOutcome> {
  const handle = connection.client.workflow.getHandle(workflowId);
  try {
    const description = await handle.describe();
    const known = STATUSES[description.status.name] ?? 'unknown';
    if (known === 'running') {
      const obstacle = await heldUpBy(description, lookOver(connection));
      return { status: known, ...(obstacle === undefined ? {} : { heldUpBy: obstacle }) };
    }
    if (known !== 'failed') return { status: known };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return { status: 'unknown' };
    throw errorOfRpc(connection, workflowId, error);
  }
  const failure: unknown = await handle.result().then(
    () => undefined,
    (error: unknown) => error,
  );
  const { code, message, facts } = stepFailureOf(failure);
  return {
    status: 'failed',
    error: { code, message, ...(facts.hint === undefined ? {} : { hint: facts.hint }) },
  };
}

/** The runs with what became of each. */
export function withOutcomes<Run extends { readonly workflowId: string }>(
  connection: TemporalConnection,
  runs: readonly Run[],
): Promise<(Run & RunOutcome)[]> {
  return Promise.all(runs.map(async (run) => ({ ...run, ...(await outcomeOf(connection, run.workflowId)) })));
}
