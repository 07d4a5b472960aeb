import type { WorkflowHandle } from '@temporalio/client';
import { given } from '../../api/json';
import { adviceOf } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { UploadResult } from '../../api/upload/request/upload-request';
import { PAUSE_SIGNAL, PROGRESS_QUERY, RESUME_SIGNAL } from '../contract/upload';
import type { UploadMemo, WorkflowProgress } from '../contract/upload';
import { errorOfFailure } from '../failure';
import { partsInFlight } from './parts-in-flight';
import type { TemporalConnection } from './connect';
import { lookOver, findWaitReason, waitReasonOf } from './wait-reason';
import { createQueryRate } from './query-rate';
import { queryWorkflow } from './query-workflow';
import { askTemporal } from './rpc-failure';
import { controlWorkflow } from './control-workflow';
import type { UploadHandle } from './upload-handle';
import { workflowResult } from './workflow-result';

/**
 * A handle of an upload that anybody started before. Sends nothing, so the first call reports an id that does not
 * exist.
 */
export function openUpload(
  connection: TemporalConnection,
  workflowId: string,
  known: Pick<Partial<UploadHandle>, 'joined' | 'joinedQueue' | 'runId' | 'warning'> = {},
): UploadHandle {
  const { client } = connection;
  const handle = client.workflow.getHandle(workflowId, known.runId);
  const asked = <T>(call: () => Promise<T>): Promise<T> => askTemporal(connection, workflowId, call);
  const control = (call: () => Promise<unknown>): Promise<void> =>
    controlWorkflow(connection, { handle, noun: 'upload' }, call);
  const rate = createQueryRate();
  const look = lookOver(connection);
  let latest: WorkflowProgress | undefined;
  let lastInFlight = 0;
  return {
    workflowId,
    joined: known.joined ?? false,
    ...given({ runId: known.runId, joinedQueue: known.joinedQueue, warning: known.warning }),
    async progress() {
      let description = await asked(() => handle.describe());
      let inFlight = await partsInFlight(client, description);
      // The bytes of an ended run are no longer in flight. Only the workflow knows that they arrived.
      const hasEndedRun = inFlight.bytesInFlight < lastInFlight;
      if (latest === undefined || hasEndedRun || rate.isDue(systemClock.now())) {
        const query = { name: PROGRESS_QUERY, taskQueue: description.taskQueue };
        latest = await asked(() => queryWorkflow<WorkflowProgress>(connection, handle, query));
        rate.done(systemClock.now());
        // Describes again, because a run that ended meanwhile would count twice.
        description = await asked(() => handle.describe());
        inFlight = await partsInFlight(client, description);
      }
      lastInFlight = inFlight.bytesInFlight;
      const { waitReason, ...progress } = latest;
      const seen = await findWaitReason(description, look);
      const obstacle = seen ?? (waitReason === undefined ? undefined : waitReasonOf(waitReason));
      return { ...progress, ...inFlight, ...(obstacle === undefined ? {} : { waitReason: obstacle }) };
    },
    result: (signal) =>
      workflowResult<UploadResult>(connection, handle, {
        signal,
        endedBadly: (error) => endedBadly(handle, error),
      }),
    pause: () => control(() => handle.signal(PAUSE_SIGNAL)),
    resume: () => control(() => handle.signal(RESUME_SIGNAL)),
    cancel: () => control(() => handle.cancel()),
  };
}

/** Temporal's cancellation carries no message of ours, so the memo contains the sessions that are left. */
async function endedBadly(handle: WorkflowHandle, error: unknown): Promise<MediaServiceError> {
  const failure = errorOfFailure(error);
  if (failure.code !== 'Cancelled') return failure;
  const description = await handle.describe();
  const { cancelled, uploadId, mediaId }: UploadMemo = description.memo ?? {};
  const details = {
    ...given({ uploadId, mediaId }),
    ...(cancelled?.orphans === undefined ? {} : { orphans: cancelled.orphans }),
  };
  return new MediaServiceError(
    'Cancelled',
    cancelled?.message ?? failure.message,
    { details, ...adviceOf(cancelled ?? {}) },
    { cause: error },
  );
}
