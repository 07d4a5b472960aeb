import type { TemporalConnection } from './connect';
import { payloadReader } from './payload-reader';
import { askTemporal } from './rpc-failure';

/**
 * The input with which a run was started. Read from the first event of its history, so that no worker is needed.
 * Rejects with `RequestRefused` if Temporal does not know the run (any more).
 */
export async function startedInput(
  connection: TemporalConnection,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<unknown> {
  const { client, namespace } = connection;
  const { history } = await askTemporal(connection, execution.workflowId, () =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await payloadReader(connection)(payloads);
  return input;
}
