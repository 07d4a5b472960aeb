import { given } from '../../../api/json';
import type { LiveBatch } from './live-batch';
import type { BatchInput, BatchMemo, BatchResult } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { askTemporal } from '../../client/rpc-failure';
import { openRun } from '../../client/run-handle';
import type { KnownRun, RunHandle } from '../../client/run-handle';
import { liveBatch } from './live-batch';
import { startedInput } from '../../upload/client/upload-input';

/** One batch in Temporal. Its progress includes that of its running pages. */
export type BatchHandle = RunHandle<LiveBatch, BatchResult>;

/**
 * A handle of a batch that anybody started before. The result is that of the latest start, or with `runId` that of this
 * start.
 */
export function openBatch(
  connection: TemporalConnection,
  workflowId: string,
  known: KnownRun = {},
): BatchHandle {
  return openRun<LiveBatch, BatchResult>(connection, {
    ...{ noun: 'batch', workflowId, known },
    look: (handle) => liveBatch(connection, handle),
    cancelled({ memo, status }) {
      const { cancelled, folder }: BatchMemo = memo ?? {};
      const how = status.name === 'TERMINATED' ? 'terminated in Temporal' : 'cancelled';
      const fromOutside = { message: `The batch was ${how}.`, hint: GO_ON };
      return { ...(cancelled ?? fromOutside), details: { workflowId, ...given({ folder }) } };
    },
  });
}

const GO_ON =
  'Start it again with the same manifest and folder: what was uploaded stays, the rest continues.';

/**
 * The input of a batch's latest start, or of the run that is known to be the latest. Read from the first event of its
 * history, so that no worker is needed. Rejects with `RequestRefused` if Temporal does not know the batch (any more).
 */
export async function readBatchInput(
  connection: TemporalConnection,
  workflowId: string,
  latestRunId?: string,
): Promise<BatchInput> {
  const handle = connection.client.workflow.getHandle(workflowId);
  const runId = latestRunId ?? (await askTemporal(connection, workflowId, () => handle.describe())).runId;
  const fields = ['batchId', 'folder'] as const;
  return startedInput<BatchInput>(connection, { workflowId, runId, noun: 'a batch', fields });
}
