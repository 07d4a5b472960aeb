import type { WorkflowHandle } from '@temporalio/client';
import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from './connect';
import { noWorker, pollersOf } from './pollers';
import { isDeadline, isNobodyPolling } from './rpc-failure';

const QUERY_DEADLINE_MS = 10_000;
/** After so long it is asked whether anybody polls: a busy worker takes longer than none should be waited for. */
const SILENT_MS = 2_000;

export interface WorkflowQuery {
  readonly name: string;
  /** Where the workflow runs: named where nobody answers. */
  readonly taskQueue: string;
  /** Epoch ms, where somebody waits less than ten seconds. */
  readonly by?: number | undefined;
}

/**
 * What a workflow answers to a query without arguments. Rejects with `NoWorker` when nobody polls its queue, within some seconds, and when no worker answers
 * within ten, or by the time that is given.
 */
export async function queryWorkflow<Answer>(
  temporal: TemporalConnection,
  handle: WorkflowHandle,
  { name, taskQueue, by = Infinity }: WorkflowQuery,
): Promise<Answer> {
  const { connection } = temporal;
  const answered = new AbortController();
  const alone = new AbortController();
  const look = async (): Promise<void> => {
    await systemClock.sleep(SILENT_MS, answered.signal);
    if ((await pollersOf(temporal, taskQueue)).length === 0) alone.abort();
  };
  // What keeps the look from its end keeps the query as well.
  look().catch(() => undefined);
  try {
    const deadline = Math.min(systemClock.now() + QUERY_DEADLINE_MS, by);
    return await connection.withAbortSignal(alone.signal, () =>
      connection.withDeadline(deadline, () => handle.query<Answer>(name)),
    );
  } catch (error) {
    const isAlone = alone.signal.aborted || isDeadline(error) || isNobodyPolling(error);
    throw isAlone ? noWorker(taskQueue) : error;
  } finally {
    answered.abort();
  }
}
