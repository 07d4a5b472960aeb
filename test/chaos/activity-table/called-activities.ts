import type { UploadFixture } from '../../support/upload-fixture';

/** `workflow activity` for every activity that these workflows and their children called. */
export async function callsOf(fixture: UploadFixture, workflowIds: readonly string[]): Promise<string[]> {
  const left = [...workflowIds];
  const seen = new Set<string>();
  const calls = new Set<string>();
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const { events } = await fixture.connection.client.workflow.getHandle(id).fetchHistory();
    let workflow = '';
    for (const event of events ?? []) {
      workflow = event.workflowExecutionStartedEventAttributes?.workflowType?.name ?? workflow;
      const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (activity != null) calls.add(`${workflow} ${activity}`);
      const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
      if (child != null) left.push(child);
    }
  }
  return [...calls];
}
