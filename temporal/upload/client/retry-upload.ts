import type { WorkflowExecutionDescription } from '@temporalio/client';
import { MediaServiceError } from '../../../api/errors';
import { UPLOAD_WORKFLOW } from '../types';
import type { UploadMemo, UploadWorkflowInput } from '../types';
import type { TemporalConnection } from '../../client/connect';
import type { UploadHandle } from './open-upload';
import { askTemporal } from '../../client/rpc-failure';
import { startedInput } from './upload-input';
import { startOrJoin } from './start-upload';
import { uploadNeed } from '../../client/living-workers';
import type { WorkerNeed } from '../../client/living-workers';

export interface RetriedUpload {
  readonly handle: UploadHandle;
  /** The workers that the upload needs. */
  readonly need: WorkerNeed;
  readonly label: string;
}

/**
 * Starts a failed or cancelled upload again with its original input. It first reads the session that the upload left,
 * and continues it if possible. A running upload is joined. Rejects with `RequestRefused` for a completed upload,
 * for a row of a batch, and for an id that Temporal does not know (any more).
 */
export async function retryUpload(
  connection: TemporalConnection,
  workflowId: string,
): Promise<RetriedUpload> {
  const description = await askTemporal(connection, workflowId, () =>
    connection.client.workflow.getHandle(workflowId).describe(),
  );
  refuseUnlessEnded(description);
  const { runId } = description;
  const {
    earlier: _earlier,
    startPending: _startPending,
    ...input
  } = await startedInput<UploadWorkflowInput>(connection, {
    ...{ workflowId, runId, noun: 'an upload', fields: ['source'] },
  });
  const { label = workflowId, inputDigest: digest = '', identity }: UploadMemo = description.memo ?? {};
  const { queuePrefix, source } = input;
  return {
    need: uploadNeed({ queuePrefix, accountId: input.account.accountId, source }),
    label,
    handle: await startOrJoin(connection, { workflowId, digest, input, identity }),
  };
}

function refuseUnlessEnded({ workflowId, status, type, raw }: WorkflowExecutionDescription): void {
  const parent = raw.workflowExecutionInfo?.parentExecution?.workflowId ?? '';
  if (type !== UPLOAD_WORKFLOW)
    throw refused(workflowId, 'is not an upload', 'Use the id that the list of uploads shows.');
  if (parent !== '') {
    throw refused(
      workflowId,
      `belongs to a batch (${parent})`,
      'Retry the failed rows of the batch: `media-service batches retry`.',
    );
  }
  if (status.name === 'COMPLETED')
    throw refused(workflowId, 'has completed', 'To upload the file once more, {again}.');
}

function refused(workflowId: string, why: string, hint: string): MediaServiceError {
  return new MediaServiceError('RequestRefused', `${workflowId} ${why}, so it can't be retried.`, {
    outcome: 'refused',
    details: { workflowId },
    hint,
  });
}
