import type { TemporalConnection } from './connect';
import { isOpen } from './control-workflow';
import { askTemporal } from './rpc-failure';
import type { UnservedQueue } from './unserved-queues';
import { lookOver } from './wait-reason';

/**
 * The control queue of a workflow that has not ended if no living worker serves it. What was requested of the workflow
 * then waits for one. Undefined if a worker serves it, or if the workflow has ended.
 */
export async function unservedControl(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UnservedQueue | undefined> {
  return askTemporal(connection, workflowId, async () => {
    const described = await connection.lister.workflow.getHandle(workflowId).describe();
    const queue = described.taskQueue;
    return isOpen(described) ? lookOver(connection).unserved({ control: queue, queue }) : undefined;
  });
}
