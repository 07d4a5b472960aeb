import { Context } from '@temporalio/activity';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { isNotFound } from '../../client/rpc-failure';

/** Workflows that an activity describes at once. */
export const DESCRIBED_AT_ONCE = 16;

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const GROWTH = 1.5;

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

/**
 * Ends a try of an activity that waits for a workflow. This is not an error, adds no history, and causes a later try.
 */
export function stillRunning(
  what: string,
  attempt: number,
  { maxDelayMs = MAX_DELAY_MS, firstDelayMs = FIRST_DELAY_MS }: Delays = {},
): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${what} has not ended.`,
    type: 'StillRunning',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.min(maxDelayMs, Math.ceil(firstDelayMs * GROWTH ** (attempt - 1))),
  });
}

/** Pauses between two tries, ms. */
interface Delays {
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
}
