import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { BatchMemo } from '../../contract/batch';
import type { TemporalConnection } from '../connect';

/**
 * The run that says what a batch is: its latest one, or, where that start ended before its manifest was taken (it was refused, or cancelled meanwhile),
 * the one before it, which that did not change. Rejects as Temporal's client does.
 */
export async function standingBatch(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowExecutionDescription> {
  const { workflow } = connection.client;
  const latest = await workflow.getHandle(workflowId).describe();
  const before = passedOverFor(latest);
  if (before === undefined) return latest;
  try {
    return await workflow.getHandle(workflowId, before).describe();
  } catch (error) {
    // Temporal forgets runs after its retention time.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return latest;
    throw error;
  }
}

/** A handle of that run where it is not the latest, else of whichever run is the latest when it is asked. Never rejects. */
export async function standingHandle(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowHandle> {
  const { workflow } = connection.client;
  const latest = workflow.getHandle(workflowId);
  try {
    const before = passedOverFor(await latest.describe());
    return before === undefined ? latest : workflow.getHandle(workflowId, before);
  } catch {
    return latest;
  }
}

/** Which run a start that is to follow this one goes back to. */
export function runBefore({
  runId,
  memo = {},
}: Pick<WorkflowExecutionDescription, 'runId' | 'memo'>): string | undefined {
  const { planned, before }: BatchMemo = memo;
  return planned === true ? runId : before;
}

/** Run id of the start that an ended one goes back to, as its own manifest was never taken; undefined where it says itself what the batch is. */
export function passedOverFor({
  status,
  memo = {},
}: Pick<WorkflowExecutionDescription, 'status' | 'memo'>): string | undefined {
  const { planned, before }: BatchMemo = memo;
  return ENDED_BADLY.has(status.name) && planned !== true ? before : undefined;
}

const ENDED_BADLY: ReadonlySet<string> = new Set(['FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);
