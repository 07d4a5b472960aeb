import type { WorkflowHandle } from '@temporalio/client';
import { adviceOf } from '../../../api/advice';
import { MediaServiceError } from '../../../api/errors';
import { systemClock } from '../../../api/clock';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../../contract/upload';
import type { BatchMemo, BatchResult } from '../../contract/batch';
import { errorOfFailure } from '../../failure';
import type { TemporalConnection } from '../connect';
import { createQueryRate } from '../query-rate';
import { askTemporal } from '../rpc-failure';
import { controlWorkflow } from '../control-workflow';
import { workflowResult } from '../workflow-result';
import type { BatchHandle, LiveBatch } from './batch-handle';
import { liveBatch } from './live-batch';
import { runningHandle } from './running-batch';

/**
 * A handle of a batch that anybody started before. Sends nothing, so the first call reports an id that does not exist.
 * `latest`: the result is that of the latest start, even if it was refused. By default, refused starts are skipped.
 * `runId`: the result is that of this start.
 */
export function openBatch(
  connection: TemporalConnection,
  workflowId: string,
  known: { readonly joined?: boolean; readonly latest?: boolean; readonly runId?: string } = {},
): BatchHandle {
  // Without a run id: a batch continues as new, and the handle means its latest run.
  const handle = connection.client.workflow.getHandle(workflowId);
  const asked = async (): Promise<WorkflowHandle> => {
    if (known.runId !== undefined) return connection.client.workflow.getHandle(workflowId, known.runId);
    return known.latest === true ? handle : runningHandle(connection, workflowId);
  };
  const control = (call: () => Promise<unknown>): Promise<void> =>
    controlWorkflow(connection, { handle, noun: 'batch' }, call);
  const rate = createQueryRate();
  let latest: LiveBatch | undefined;
  return {
    workflowId,
    joined: known.joined ?? false,
    async progress({ by } = {}) {
      if (latest !== undefined && !rate.isDue(systemClock.now())) return latest;
      latest = await askTemporal(connection, workflowId, () =>
        answeredBy(connection, by, async () => liveBatch(connection, await asked(), by)),
      );
      rate.done(systemClock.now());
      return latest;
    },
    async result(signal) {
      const running = await asked();
      return workflowResult<BatchResult>(connection, running, {
        signal,
        endedBadly: (failure) => endedBadly(running, failure),
      });
    },
    pause: () => control(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => control(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => control(() => handle.cancel()),
  };
}

/** With `by`, the call ends at that time. Otherwise a pending call would outlive its connection. */
function answeredBy<T>(
  { connection }: TemporalConnection,
  by: number | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  return by === undefined ? ask() : connection.withDeadline(by, ask);
}

/** Temporal's cancellation carries no message of ours, so the memo contains it. */
async function endedBadly(handle: WorkflowHandle, error: unknown): Promise<MediaServiceError> {
  const failure = errorOfFailure(error);
  if (failure.code !== 'Cancelled') return failure;
  const { memo, status } = await handle.describe();
  const { cancelled, folder }: BatchMemo = memo ?? {};
  const how = status.name === 'TERMINATED' ? 'terminated in Temporal' : 'cancelled';
  const advice = cancelled === undefined ? { hint: GO_ON } : adviceOf(cancelled);
  return new MediaServiceError(
    'Cancelled',
    cancelled?.message ?? `The batch was ${how}.`,
    { ...advice, details: { workflowId: handle.workflowId, ...(folder === undefined ? {} : { folder }) } },
    { cause: error },
  );
}

const GO_ON =
  'Start it again with the same manifest and folder: what was uploaded stays, the rest continues.';
