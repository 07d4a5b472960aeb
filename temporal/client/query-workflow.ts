import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import { noWorker } from './unserved-queues';
import { isDeadline } from './rpc-failure';

const QUERY_DEADLINE_MS = 10_000;
/** After this time without an answer, it checks whether a worker is alive. A busy worker may take longer. */
const SILENT_MS = 2_000;

/**
 * A workflow's answer to a query without arguments. Rejects with `NoWorker` within some seconds if no worker of its
 * queue is alive, or if it can't run the workflow. Also rejects so if none answers within ten seconds.
 */
export async function queryWorkflow<Answer>(
  temporal: TemporalConnection,
  handle: WorkflowHandle,
  name: string,
): Promise<Answer> {
  const { workflowId } = handle;
  const answered = new AbortController();
  const alone = new AbortController();
  let obstacle: MediaServiceError | undefined;
  const look = async (): Promise<void> => {
    await systemClock.sleep(SILENT_MS, answered.signal);
    obstacle = await obstacleOf(temporal, workflowId);
    if (obstacle !== undefined) alone.abort();
  };
  // If the check fails, the query fails for the same reason.
  look().catch(() => undefined);
  try {
    const deadline = systemClock.now() + QUERY_DEADLINE_MS;
    return await temporal.connection.withAbortSignal(alone.signal, () =>
      temporal.connection.withDeadline(deadline, () => handle.query<Answer>(name)),
    );
  } catch (error) {
    // If this fails too, the first error says more.
    obstacle ??= await obstacleOf(temporal, workflowId).catch(() => undefined);
    if (obstacle !== undefined || !isDeadline(error)) throw obstacle ?? error;
    // Its last worker may have just died, which the server notices only after a while. Or it is very busy.
    throw new MediaServiceError('NoWorker', `No worker answered for ${workflowId} in time.`, {
      hint: 'If no worker runs, start one: `media-service doctor` lists those that do. A busy worker answers later.',
    });
  } finally {
    answered.abort();
  }
}

/** How many of the last events contain the first failure of the current task. */
const LAST_EVENTS = 5;
const WRONG_KEY = /binary\/encrypted|encrypted with key/;

/** Why no worker answers for a workflow: none is alive, or they can't run its task, which Temporal repeats. */
async function obstacleOf(
  temporal: TemporalConnection,
  workflowId: string,
): Promise<MediaServiceError | undefined> {
  const { client, lister, namespace } = temporal;
  const { raw, runId, taskQueue } = await lister.workflow.getHandle(workflowId).describe();
  const workers = await livingWorkers(temporal, taskQueue);
  if (workers.length === 0) return noWorker({ queue: taskQueue });
  if ((raw.pendingWorkflowTask?.attempt ?? 1) < 2) return undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId, runId },
    maximumPageSize: LAST_EVENTS,
  });
  const failure = history?.events?.find((event) => event.workflowTaskFailedEventAttributes != null);
  const why = failure?.workflowTaskFailedEventAttributes?.failure?.message;
  if (why == null) return undefined;
  return new MediaServiceError('NoWorker', `The workers can't run ${workflowId}: ${why}.`, {
    hint: WRONG_KEY.test(why)
      ? 'Give the workers the codec keys of the program that started it. It then continues.'
      : 'It continues when the workers have a build that can run it.',
  });
}
