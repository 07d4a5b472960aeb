import { storedTree } from '../../support/stored-texts';
import type { ServiceFixture } from './service-fixture';

/** Every text that Temporal stores for a workflow and its children: decoded histories, memos, summaries, heartbeats. */
export async function keptByTemporal({ connection }: ServiceFixture, workflowId: unknown): Promise<string> {
  const tree = await storedTree(connection, String(workflowId));
  return tree.map(({ history, described }) => `${history}\n${described}`).join('\n');
}

/** How many waits of the account have posted to an n8n that is away, and will do so again. */
export async function refusedPosts({ connection, accountId }: ServiceFixture): Promise<number> {
  const { workflow } = connection.client;
  const query = "WorkflowType = 'awaitEnds' AND ExecutionStatus = 'Running'";
  let refused = 0;
  for await (const { workflowId } of workflow.list({ query })) {
    if (!workflowId.includes(accountId)) continue;
    const { raw } = await workflow.getHandle(workflowId).describe();
    const failures = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure?.message ?? '');
    if (failures.some((message) => message.includes('ECONNREFUSED'))) refused += 1;
  }
  return refused;
}
