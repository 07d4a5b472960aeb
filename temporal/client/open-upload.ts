import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { UploadResult } from '../../api/upload/request/upload-request';
import { PAUSE_SIGNAL, PROGRESS_QUERY, RESUME_SIGNAL } from '../contract';
import type { UploadMemo, WorkflowProgress } from '../contract';
import { errorOfFailure } from '../failure';
import { partsInFlight } from './parts-in-flight';
import type { TemporalConnection } from './connect';
import { lookOver, heldUpBy, heldUpOf } from './held-up-by';
import { createQueryPace } from './query-pace';
import { queryWorkflow } from './query-workflow';
import { errorOfRpc } from './rpc-failure';
import { controlWorkflow } from './control-workflow';
import type { UploadHandle } from './upload-handle';
import { workflowResult } from './workflow-result';

/** A handle of an upload that was started before, by anybody. Sends nothing; an id that does not exist shows at the first call. */
export function openUpload(
  connection: TemporalConnection,
  workflowId: string,
  known: Pick<Partial<UploadHandle>, 'joined' | 'runId' | 'warning'> = {},
): UploadHandle {
  const { client } = connection;
  const handle = client.workflow.getHandle(workflowId, known.runId);
  const asked = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw errorOfRpc(connection, workflowId, error);
    }
  };
  const control = (call: () => Promise<unknown>): Promise<void> =>
    controlWorkflow(connection, { handle, noun: 'upload' }, call);
  const pace = createQueryPace();
  const look = lookOver(connection);
  let latest: WorkflowProgress | undefined;
  let lastInFlight = 0;
  return {
    workflowId,
    joined: known.joined ?? false,
    ...(known.runId === undefined ? {} : { runId: known.runId }),
    ...(known.warning === undefined ? {} : { warning: known.warning }),
    async progress() {
      let description = await asked(() => handle.describe());
      let inFlight = await partsInFlight(client, description);
      // Bytes of a group that has ended are no longer under way: only the workflow knows that they arrived.
      const hasEndedGroup = inFlight.bytesInFlight < lastInFlight;
      if (latest === undefined || hasEndedGroup || pace.isDue(systemClock.now())) {
        const query = { name: PROGRESS_QUERY, taskQueue: description.taskQueue };
        latest = await asked(() => queryWorkflow<WorkflowProgress>(connection, handle, query));
        pace.done(systemClock.now());
        // A group that ended meanwhile would count twice.
        description = await asked(() => handle.describe());
        inFlight = await partsInFlight(client, description);
      }
      lastInFlight = inFlight.bytesInFlight;
      const { waitReason, ...progress } = latest;
      const seen = await heldUpBy(description, look);
      const obstacle = seen ?? (waitReason === undefined ? undefined : heldUpOf(waitReason));
      return { ...progress, ...inFlight, ...(obstacle === undefined ? {} : { heldUpBy: obstacle }) };
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

/** Temporal's cancellation carries no words of ours: what stays behind stands in the memo. */
async function endedBadly(handle: WorkflowHandle, error: unknown): Promise<MediaServiceError> {
  const failure = errorOfFailure(error);
  if (failure.code !== 'Cancelled') return failure;
  const description = await handle.describe();
  const { cancelled, uploadId, mediaId }: UploadMemo = description.memo ?? {};
  const details = {
    ...(uploadId === undefined ? {} : { uploadId }),
    ...(mediaId === undefined ? {} : { mediaId }),
  };
  const hint = cancelled?.hint;
  return new MediaServiceError(
    'Cancelled',
    cancelled?.message ?? failure.message,
    { details, ...(hint === undefined ? {} : { hint }) },
    { cause: error },
  );
}
