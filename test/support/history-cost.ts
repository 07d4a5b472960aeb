import type { TemporalConnection } from '../../temporal/client/connect';

export type HistoryCost = Awaited<ReturnType<typeof historyCost>>;

/** What the latest run of a workflow cost: bytes, activities, and events without those of workflow tasks. */
export async function historyCost({ client }: TemporalConnection, workflowId: string) {
  const handle = client.workflow.getHandle(workflowId);
  const { events } = await handle.fetchHistory();
  /** Number of activities by type. */
  const activities: Record<string, number> = {};
  /** Events of workflow tasks, three for each task. A slow worker gets more news in one task. */
  let tasks = 0;
  for (const event of events ?? []) {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (name) activities[name] = (activities[name] ?? 0) + 1;
    if (Object.keys(event).some((key) => key.startsWith('workflowTask'))) tasks += 1;
  }
  const { historySize: bytes = 0 } = await handle.describe();
  return { events: (events ?? []).length - tasks, tasks, bytes, activities };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
