import { PROGRESS_QUERY } from '../contract/upload';
import type { WorkflowProgress } from '../contract/upload';
import type { TemporalConnection } from './connect';
import type { UploadListing } from './list-uploads';

/**
 * Whether a running upload is paused. Only a worker knows, so this rejects if none answers by the given time, epoch
 * ms.
 */
export async function readPaused(
  { connection, client }: TemporalConnection,
  { workflowId, runId }: Pick<UploadListing, 'workflowId' | 'runId'>,
  by: number,
): Promise<boolean> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const { paused } = await connection.withDeadline(by, () => handle.query<WorkflowProgress>(PROGRESS_QUERY));
  return paused;
}
