import { Context } from '@temporalio/activity';
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** The latest run of a workflow; undefined where Temporal does not know it (any more). */
export async function describedWorkflow(
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await Context.current().client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether Temporal knows no such workflow (any more), or, for a cancellation, none that runs. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** Whether a workflow has not ended: Temporal can pause one by hand, too. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}
