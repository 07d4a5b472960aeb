import { MediaServiceError } from '../../api/errors';
import { errorOfFailure } from '../failure';
import type { TemporalConnection } from './connect';

/**
 * Rejects with `ProcessingTimeout` where the latest upload of this id ended with it: everything was sent and `complete` accepted, so
 * that a second session would double a file that the service may yet finish.
 */
export async function refuseWhileProcessing(
  { client }: TemporalConnection,
  workflowId: string,
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const status = await handle.describe().then(
    (description) => description.status.name,
    (error: unknown) => {
      if (isUnknown(error)) return undefined;
      throw error;
    },
  );
  if (status !== 'FAILED') return;
  const failure = await handle.result().then(() => undefined, errorOfFailure);
  if (failure?.code !== 'ProcessingTimeout') return;
  const uploadId = String(failure.facts.details?.['uploadId'] ?? '<uploadId>');
  throw new MediaServiceError(
    'ProcessingTimeout',
    `The upload ${workflowId} was sent before, and the service was still processing it when its time was over: nothing was started.`,
    {
      operation: 'processing',
      outcome: 'refused',
      hint:
        `See how its session stands: media-service uploads session ${uploadId} (n8n: Upload > Get, by upload ID). ` +
        'To upload it once more all the same: --again (n8n: the option "Upload Again").',
      details: { ...failure.facts.details, workflowId },
    },
  );
}

function isUnknown(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}
