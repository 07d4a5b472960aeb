import type { TemporalConnection } from '../../temporal/client/connect';

/** What the latest run of a workflow cost. */
export interface HistoryCost {
  /** All events but those of workflow tasks. */
  readonly events: number;
  /** Events of workflow tasks, three for each task. A slow worker gets more news in one task. */
  readonly tasks: number;
  readonly bytes: number;
  /** Number of activities by type. */
  readonly activities: Readonly<Record<string, number>>;
}

export async function historyCost({ client }: TemporalConnection, workflowId: string): Promise<HistoryCost> {
  const handle = client.workflow.getHandle(workflowId);
  const { events } = await handle.fetchHistory();
  const activities: Record<string, number> = {};
  let tasks = 0;
  for (const event of events ?? []) {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    if (name) activities[name] = (activities[name] ?? 0) + 1;
    const isOfTask = [
      event.workflowTaskScheduledEventAttributes,
      event.workflowTaskStartedEventAttributes,
      event.workflowTaskCompletedEventAttributes,
      event.workflowTaskFailedEventAttributes,
      event.workflowTaskTimedOutEventAttributes,
    ].some((attributes) => attributes !== undefined && attributes !== null);
    if (isOfTask) tasks += 1;
  }
  const { historySize = 0 } = await handle.describe();
  return { events: (events ?? []).length - tasks, tasks, bytes: historySize, activities };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
