import type { WorkflowHandle } from '@temporalio/client';
import { systemClock } from '../../api/system-clock';
import type { TemporalConnection } from './connect';
import { noWorker } from './pollers';
import { isDeadline } from './rpc-failure';

const QUERY_DEADLINE_MS = 10_000;

export interface WorkflowQuery {
  readonly name: string;
  /** Where the workflow runs: named where nobody answers. */
  readonly taskQueue: string;
}

/** What a workflow answers to a query without arguments. Rejects with `NoWorker` when no worker answers within ten seconds. */
export async function queryWorkflow<Answer>(
  { connection }: TemporalConnection,
  handle: WorkflowHandle,
  { name, taskQueue }: WorkflowQuery,
): Promise<Answer> {
  try {
    return await connection.withDeadline(systemClock.now() + QUERY_DEADLINE_MS, () =>
      handle.query<Answer>(name),
    );
  } catch (error) {
    throw isDeadline(error) ? noWorker(taskQueue) : error;
  }
}
