import type { TemporalConnection } from './connect';
import { payloadReader } from './payload-reader';
import { errorOfRpc } from './rpc-failure';

/** What a run was started with, read from the first event of its history: no worker is needed. Rejects with `RequestRefused` if Temporal doesn't know the run (any more). */
export async function startedInput(
  connection: TemporalConnection,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<unknown> {
  const { client, namespace } = connection;
  const { history } = await client.workflowService
    .getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 })
    .catch((error: unknown) => {
      throw errorOfRpc(connection, execution.workflowId, error);
    });
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await payloadReader(connection)(payloads);
  return input;
}
