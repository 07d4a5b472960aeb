import { Context } from '@temporalio/activity';
import { inOrder } from '../../../manifest/check/in-order';
import { batchPageWorkflowId, batchWorkflowId } from '../../contract/batch-ids';
import { describedWorkflow } from './described-workflow';
import type { StoredPlan } from './journal/stored-plan';
import { stillRunning } from './still-running';

const DESCRIBED_AT_ONCE = 16;

/**
 * Cancels the pages of the batch's last start that still run: its root was terminated, or failed, without them. They write down what became of their rows;
 * rejects as `stillRunning` until they have. A page is never uploaded by two starts at once.
 */
export async function endEarlierPages(accountId: string, plan: StoredPlan): Promise<void> {
  const { client, info } = Context.current();
  const batch = batchWorkflowId(accountId, plan.batchId);
  const ids = plan.pages.map((_page, index) => batchPageWorkflowId(batch, plan, index));
  let running = 0;
  for await (const isRunning of inOrder(ids, DESCRIBED_AT_ONCE, cancelled)) if (isRunning) running += 1;
  if (running > 0)
    throw stillRunning(
      `The batch was started before, and ${running} pages of that start end first; one`,
      info.attempt,
    );

  async function cancelled(workflowId: string): Promise<boolean> {
    const page = await describedWorkflow(workflowId);
    if (page === undefined || page.status.name !== 'RUNNING') return false;
    await client.workflow.getHandle(workflowId, page.runId).cancel();
    return true;
  }
}
