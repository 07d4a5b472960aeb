import { connectTemporal } from '../../../temporal/client/connect';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { storedTree } from '../../support/stored-texts';
import type { ServiceFixture } from './service-fixture';

async function withTemporal<T>(
  { temporal }: ServiceFixture,
  use: (connection: TemporalConnection) => Promise<T>,
): Promise<T> {
  if (temporal === undefined) throw new Error('This stage has no Temporal.');
  const { address, namespace } = temporal;
  const connection = await connectTemporal({ address, namespace });
  return use(connection).finally(() => connection.close());
}

/** Every text that Temporal stores for a workflow and its children: decoded histories, memos, summaries, heartbeats. */
export const keptByTemporal = (fixture: ServiceFixture, workflowId: unknown): Promise<string> =>
  withTemporal(fixture, async (connection) => {
    const tree = await storedTree(connection, String(workflowId));
    return tree.map(({ history, described }) => `${history}\n${described}`).join('\n');
  });

/** How many waits have posted to an n8n that is away, and will do so again. */
export const refusedPosts = (fixture: ServiceFixture): Promise<number> =>
  withTemporal(fixture, async ({ client }) => {
    const query = "WorkflowType = 'awaitEnds' AND ExecutionStatus = 'Running'";
    let refused = 0;
    for await (const { workflowId } of client.workflow.list({ query })) {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      const failures = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure?.message ?? '');
      if (failures.some((message) => message.includes('ECONNREFUSED'))) refused += 1;
    }
    return refused;
  });
