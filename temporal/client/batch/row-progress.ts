import { MediaServiceError } from '../../../api/errors';
import { BATCH_PROGRESS_QUERY, type BatchProgress } from '../../contract/batch';
import { batchRowOf } from '../../contract/batch-ids';
import type { WorkflowProgress } from '../../contract/upload';
import type { TemporalConnection } from '../connect';
import { payloadReader } from '../payload-reader';
import { queryWorkflow } from '../query-workflow';
import { errorOfRpc } from '../rpc-failure';
import { pageProgressIn } from './page-progress';

/**
 * Progress of a row that its page uploads itself, by the workflow id in the batch's results. Only some rows of a page
 * are shown, those that began first. Undefined if the id is not a row's id. Rejects with `RequestRefused` if no running
 * page shows the row, and as `queryWorkflow`.
 */
export async function rowProgress(
  connection: TemporalConnection,
  workflowId: string,
): Promise<WorkflowProgress | undefined> {
  const row = batchRowOf(workflowId);
  if (row === undefined) return undefined;
  const { workflow } = connection.client;
  try {
    const root = workflow.getHandle(row.batchWorkflow);
    const { taskQueue } = await root.describe();
    const query = { name: BATCH_PROGRESS_QUERY, taskQueue };
    const { pagesRunning } = await queryWorkflow<BatchProgress>(connection, root, query);
    for (const page of pagesRunning) {
      const progress = await pageProgressIn(
        await workflow.getHandle(page).describe(),
        payloadReader(connection),
      );
      const shown = progress?.rows?.[row.rowId];
      if (shown !== undefined) return shown;
    }
  } catch (error) {
    throw errorOfRpc(connection, row.batchWorkflow, error);
  }
  throw new MediaServiceError(
    'RequestRefused',
    `The row ${row.rowId} of the batch ${row.batchId} has not begun, or its page has ended.`,
    { outcome: 'refused', hint: "The batch's results say how each row has ended." },
  );
}
