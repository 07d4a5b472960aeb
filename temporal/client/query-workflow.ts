import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import { noWorker } from './unserved-queues';
import { isDeadline, isNobodyPolling } from './rpc-failure';

/** A query is a billable action, so a progress is not asked for more often, ms. */
export const QUERY_INTERVAL_MS = 2_000;
const QUERY_DEADLINE_MS = 10_000;
/** After this time without an answer, it checks whether a worker is alive. A busy worker may take longer. */
const SILENT_MS = 2_000;

export interface WorkflowQuery {
  readonly name: string;
  readonly args?: readonly unknown[];
  /** The queue of the workflow: the control queue of its account. The error names it if nobody answers. */
  readonly taskQueue: string;
}

/**
 * A workflow's answer to a query. Rejects with `NoWorker` within some seconds if no worker of its queue is alive. Also
 * rejects so if none answers within ten seconds.
 */
export async function queryWorkflow<Answer>(
  temporal: TemporalConnection,
  handle: WorkflowHandle,
  { name, args = [], taskQueue }: WorkflowQuery,
): Promise<Answer> {
  const { connection } = temporal;
  const answered = new AbortController();
  const alone = new AbortController();
  let stuck: MediaServiceError | undefined;
  const look = async (): Promise<void> => {
    await systemClock.sleep(SILENT_MS, answered.signal);
    const workers = await livingWorkers(temporal, { control: taskQueue, queue: taskQueue });
    stuck = await failingTask(temporal, handle.workflowId);
    if (workers.length === 0 || stuck !== undefined) alone.abort();
  };
  // If the check fails, the query fails for the same reason.
  look().catch(() => undefined);
  try {
    const deadline = systemClock.now() + QUERY_DEADLINE_MS;
    return await connection.withAbortSignal(alone.signal, () =>
      connection.withDeadline(deadline, () => handle.query<Answer, unknown[]>(name, ...args)),
    );
  } catch (error) {
    // If this fails too, the first error says more.
    stuck ??= await failingTask(temporal, handle.workflowId).catch(() => undefined);
    if (stuck !== undefined) throw stuck;
    if (alone.signal.aborted || isNobodyPolling(error)) throw noWorker({ queue: taskQueue });
    throw isDeadline(error) ? noAnswer(taskQueue) : error;
  } finally {
    answered.abort();
  }
}

/**
 * The worker that ran the workflow last may have just died, which the server notices only after a while. Or it is very
 * busy.
 */
function noAnswer(queue: string): MediaServiceError {
  return new MediaServiceError('NoWorker', `No worker of ${queue} answered in time.`, {
    hint: 'If no worker runs, start one: `media-service doctor` lists those that do. A busy worker answers later.',
    details: { taskQueue: queue },
  });
}

/** How many of the last events contain the first failure of the current task. */
const LAST_EVENTS = 5;
const WRONG_KEY = /binary\/encrypted|encrypted with key/;

/**
 * Why the workers can't run a workflow: the error of its task, which Temporal repeats. Undefined: its task has not
 * failed.
 */
export async function failingTask(
  { client, lister, namespace }: Pick<TemporalConnection, 'client' | 'lister' | 'namespace'>,
  workflowId: string,
): Promise<MediaServiceError | undefined> {
  const { raw, runId } = await lister.workflow.getHandle(workflowId).describe();
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
