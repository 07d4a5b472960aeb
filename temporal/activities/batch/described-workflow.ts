import { isNotFound } from '../../client/rpc-failure';
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
