import { Context } from '@temporalio/activity';
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** The latest run of a workflow, or undefined if Temporal does not know it (any more). */
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

/** Whether Temporal does not know the workflow (any more). For a cancellation, also whether no run of it is open. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** Whether a workflow has not ended. An operator can also pause it in Temporal. */
export function isOpen({ status }: Pick<WorkflowExecutionDescription, 'status'>): boolean {
  return status.name === 'RUNNING' || status.name === 'PAUSED';
}
