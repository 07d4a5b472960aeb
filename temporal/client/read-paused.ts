import { PROGRESS_QUERY } from '../contract';
import type { WorkflowProgress } from '../contract';
import type { TemporalConnection } from './connect';
import type { UploadListing } from './list-uploads';

/** Whether an upload that runs is paused. Only a worker knows: rejects if none answers by the time given, epoch ms. */
export async function readPaused(
  { connection, client }: TemporalConnection,
  { workflowId, runId }: Pick<UploadListing, 'workflowId' | 'runId'>,
  by: number,
): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const { paused } = await connection.withDeadline(by, () => handle.query<WorkflowProgress>(PROGRESS_QUERY));
  return paused;
}
