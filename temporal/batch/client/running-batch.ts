import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { isNotFound } from '../../client/rpc-failure';
import type { BatchMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';

/**
 * The run that represents a batch, usually the latest one. If that start ended before its manifest was accepted (it
 * was refused, or cancelled before that), the run before it represents the batch. Rejects as Temporal's client does.
 */
export async function runningBatch(
  { workflow }: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription> {
  const latest = await workflow.getHandle(workflowId).describe();
  const before = passedOverFor(latest);
  if (before === undefined) return latest;
  try {
    return await workflow.getHandle(workflowId, before).describe();
  } catch (error) {
    // Temporal forgets runs after its retention time.
    if (isNotFound(error)) return latest;
    throw error;
  }
}

/**
 * A handle of that run if it is not the latest. Otherwise a handle of the run that is the latest at each call. Never
 * rejects.
 */
export async function runningHandle(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowHandle> {
  const { workflow } = connection.client;
  const latest = workflow.getHandle(workflowId);
  const before = await latest.describe().then(passedOverFor, () => undefined);
  return before === undefined ? latest : workflow.getHandle(workflowId, before);
}

/** The run that the next start refers to as `before`. */
export function runBefore({
  runId,
  memo = {},
}: Pick<WorkflowExecutionDescription, 'runId' | 'memo'>): string | undefined {
  const { planned, before }: BatchMemo = memo;
  return planned === true ? runId : before;
}

/**
 * For an ended start whose manifest was never accepted: the run id of the start that represents the batch. Undefined
 * if this start represents the batch itself.
 */
export function passedOverFor({
  status,
  memo = {},
}: Pick<WorkflowExecutionDescription, 'status' | 'memo'>): string | undefined {
  const { planned, before }: BatchMemo = memo;
  return ENDED_BADLY.has(status.name) && planned !== true ? before : undefined;
}

const ENDED_BADLY: ReadonlySet<string> = new Set(['FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);
