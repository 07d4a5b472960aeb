import { given } from '../../../api/json';
import type { LiveBatch } from './live-batch';
import { systemClock } from '../../../api/clock';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../../upload/types';
import { BATCH_INPUT_SCHEMA } from '../types';
import type { BatchInput, BatchMemo, BatchResult } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { QUERY_INTERVAL_MS } from '../../client/query-workflow';
import { askTemporal } from '../../client/rpc-failure';
import { controlWorkflow } from '../../client/control-workflow';
import { workflowResult } from '../../client/workflow-result';
import { liveBatch } from './live-batch';
import { checkedInput, startedInput } from '../../upload/client/upload-input';

/**
 * A handle of a batch that anybody started before. Sends nothing, so the first call reports an id that does not exist.
 * The result is that of the latest start, or with `runId` that of this start.
 */
export function openBatch(
  connection: TemporalConnection,
  workflowId: string,
  known: { readonly joined?: boolean; readonly runId?: string } = {},
): BatchHandle {
  const handle = connection.client.workflow.getHandle(workflowId, known.runId);
  const control = (call: () => Promise<unknown>): Promise<void> =>
    controlWorkflow(connection, { handle, noun: 'batch' }, call);
  let latest: LiveBatch | undefined;
  let askedAt = 0;
  return {
    workflowId,
    joined: known.joined ?? false,
    async progress() {
      if (latest !== undefined && systemClock.now() - askedAt < QUERY_INTERVAL_MS) return latest;
      latest = await askTemporal(connection, workflowId, () => liveBatch(connection, handle));
      askedAt = systemClock.now();
      return latest;
    },
    result: (signal) =>
      workflowResult<BatchResult>(connection, handle, {
        signal,
        cancelled({ memo, status }) {
          const { cancelled, folder }: BatchMemo = memo ?? {};
          const how = status.name === 'TERMINATED' ? 'terminated in Temporal' : 'cancelled';
          const fromOutside = { message: `The batch was ${how}.`, hint: GO_ON };
          return { ...(cancelled ?? fromOutside), details: { workflowId, ...given({ folder }) } };
        },
      }),
    pause: () => control(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => control(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => control(() => handle.cancel()),
  };
}

const GO_ON =
  'Start it again with the same manifest and folder: what was uploaded stays, the rest continues.';

/** One batch in Temporal, seen from outside. It runs with or without a handle. */
export interface BatchHandle {
  readonly workflowId: string;
  /** True: a batch with the same id and meaning was running or completed, and this handle is for that batch. */
  readonly joined: boolean;
  /**
   * The batch's progress, including its running pages. Asks the workflows every two seconds at most.
   * Rejects with `NoWorker` if no worker can answer.
   */
  progress(): Promise<LiveBatch>;
  /**
   * Waits for the end, through restarts of Temporal of up to five minutes. A batch with failed rows still ends well as
   * a batch. Rejects with the batch's own `MediaServiceError` (a manifest that differs, an output that can't be
   * written, `Cancelled`). Rejects with the signal's reason when `signal` aborts; the batch then continues.
   */
  result(signal?: AbortSignal): Promise<BatchResult>;
  /**
   * Begins no new row and pauses running uploads. Idempotent. `pause`, `resume` and `cancel` reject with
   * `RequestRefused` if the batch has ended.
   */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the batch. It first writes its results, with CANCELLED for every row that was not done. */
  cancel(): Promise<void>;
}

/**
 * The input of a batch's latest start. Read from the first event of its history, so that
 * no worker is needed. Rejects with `RequestRefused` if Temporal does not know the batch (any more), and with
 * `InputTooNew` if a newer version started it.
 */
export async function readBatchInput(
  connection: TemporalConnection,
  workflowId: string,
): Promise<BatchInput> {
  const { runId } = await askTemporal(connection, workflowId, () =>
    connection.client.workflow.getHandle(workflowId).describe(),
  );
  return checkedInput<BatchInput>(await startedInput(connection, { workflowId, runId }), {
    workflowId,
    noun: 'a batch',
    schema: BATCH_INPUT_SCHEMA,
    fields: ['batchId', 'folder'],
  });
}
