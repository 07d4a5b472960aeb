import { BATCH_INPUT_SCHEMA, type BatchInput } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { askTemporal } from '../rpc-failure';
import { checkedInput, startedInput } from '../started-input';
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
  return checkedInput<BatchInput>(await startedInput(connection, { workflowId, runId }), {
    workflowId,
    noun: 'a batch',
    schema: BATCH_INPUT_SCHEMA,
    fields: ['batchId', 'folder'],
  });
}
