import type { WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from './connect';
import { livingWorkers } from './living-workers';
import { noWorker } from './unserved-queues';
import { isDeadline, isNobodyPolling } from './rpc-failure';

const QUERY_DEADLINE_MS = 10_000;
/** After so long it is asked whether a worker lives: a busy one may take longer. */
const SILENT_MS = 2_000;

export interface WorkflowQuery {
  readonly name: string;
  readonly args?: readonly unknown[];
  /** Where the workflow runs, the control queue of its account: named where nobody answers. */
  readonly taskQueue: string;
  /** Epoch ms, where somebody waits less than ten seconds. */
  readonly by?: number | undefined;
}

/**
 * What a workflow answers to a query. Rejects with `NoWorker` within some seconds if no worker of its queue lives, and if none answers
 * within ten seconds, or by the time that is given.
 */
export async function queryWorkflow<Answer>(
  temporal: TemporalConnection,
  handle: WorkflowHandle,
  { name, args = [], taskQueue, by = Infinity }: WorkflowQuery,
): Promise<Answer> {
  const { connection } = temporal;
  const answered = new AbortController();
  const alone = new AbortController();
  const look = async (): Promise<void> => {
    await systemClock.sleep(SILENT_MS, answered.signal);
    const workers = await livingWorkers(temporal, { control: taskQueue, queue: taskQueue });
    if (workers.length === 0) alone.abort();
  };
  // What keeps the look from its end keeps the query as well.
  look().catch(() => undefined);
  try {
    const deadline = Math.min(systemClock.now() + QUERY_DEADLINE_MS, by);
    return await connection.withAbortSignal(alone.signal, () =>
      connection.withDeadline(deadline, () => handle.query<Answer, unknown[]>(name, ...args)),
    );
  } catch (error) {
    if (alone.signal.aborted || isNobodyPolling(error)) throw noWorker({ queue: taskQueue });
    throw isDeadline(error) ? noAnswer(taskQueue) : error;
  } finally {
    answered.abort();
  }
}

/** The worker that ran the workflow last may have just died, and the server takes it for alive for a while; or it is very busy. */
function noAnswer(queue: string): MediaServiceError {
  return new MediaServiceError('NoWorker', `No worker of ${queue} answered in time.`, {
    hint: 'Ask again in a minute. `media-service doctor` names the workers that live.',
    details: { taskQueue: queue },
  });
}
