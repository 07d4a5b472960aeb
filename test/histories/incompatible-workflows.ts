import { proxyActivities } from '@temporalio/workflow';
import type { WorkerActivities } from '../../temporal/worker/create-worker';
import type { UploadWorkflowInput } from '../../temporal/upload/types';

const { findOrphans } = proxyActivities<WorkerActivities>({ startToCloseTimeout: '1 minute' });

/** An example of a careless change to the workflow: another first step. Its replay must fail. */
export async function uploadMedia({ account, ingestKey }: UploadWorkflowInput): Promise<void> {
  await findOrphans({ accountId: account.accountId, ingestKey, known: [] });
}
