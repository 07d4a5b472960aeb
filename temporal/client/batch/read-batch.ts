import { MediaServiceError } from '../../../api/errors';
import { isJsonObject } from '../../../api/json';
import { BATCH_INPUT_SCHEMA } from '../../contract/batch';
import type { BatchInput } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { askTemporal } from '../rpc-failure';
import { startedInput } from '../started-input';
import { runningBatch } from './running-batch';

/**
 * The input with which a batch was started, without refused starts. Read from the first event of its history, so that
 * no worker is needed. Rejects with `RequestRefused` if Temporal does not know the batch (any more), and with
 * `InputTooNew` if a newer version started it.
 */
export async function readBatchInput(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchInput> {
  const { runId } = await askTemporal(connection, workflowId, () => runningBatch(connection, workflowId));
  return checkedInput(await startedInput(connection, { workflowId, runId }), workflowId);
}

function checkedInput(input: unknown, workflowId: string): BatchInput {
  if (isBatchInput(input)) {
    const { carried: _carried, ...started } = input;
    return started;
  }
  const schema = isJsonObject(input) ? input['schema'] : undefined;
  const isNewer = typeof schema === 'number' && schema > BATCH_INPUT_SCHEMA;
  throw new MediaServiceError(
    isNewer ? 'InputTooNew' : 'Internal',
    isNewer
      ? `${workflowId} was started with input schema ${String(schema)}, this program knows ${String(BATCH_INPUT_SCHEMA)}: update it.`
      : `${workflowId} was not started as a batch.`,
  );
}

/** Temporal carries the input as JSON. This check only distinguishes our input from anything else. */
function isBatchInput(input: unknown): input is BatchInput {
  return (
    isJsonObject(input) && input['schema'] === BATCH_INPUT_SCHEMA && 'batchId' in input && 'folder' in input
  );
}
