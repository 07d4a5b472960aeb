import type { TemporalConnection } from '../../temporal/client/connect';
import { resultsOfBatch, pageIdOf, startRows, writeRows } from './batch-fixture';
import type { UploadFixture } from './upload-fixture';

/**
 * The cost of a batch per row. Workflow tasks depend on how a worker gathers events; everything else follows from the
 * design.
 */
export interface BatchCost {
  readonly rows: number;
  readonly rootEvents: number;
  readonly rootTasks: number;
  readonly pageEvents: number;
  readonly pageTasks: number;
  readonly historyBytes: number;
  readonly seconds: number;
}

/** Runs a batch of `rows` small files in pages of `pageRows` rows, and reads all its histories. */
export async function costOfBatch(
  fixture: UploadFixture,
  { rows: count, pageRows }: { readonly rows: number; readonly pageRows: number },
): Promise<BatchCost> {
  const name = `cost-${count}`;
  const rows = await writeRows(fixture, name, count);
  const startedAt = performance.now();
  const options = {
    parallelUploads: 4 * pageRows,
    pageRows,
    upload: { pollDelayMs: 50, heartbeatMs: 20_000 },
  };
  const batch = await startRows(fixture, name, rows, { options });
  const { counts } = await batch.result();
  const seconds = (performance.now() - startedAt) / 1000;
  if (counts.completed !== count) {
    const failed = (await resultsOfBatch(fixture, name)).find(({ status }) => status !== 'COMPLETED');
    throw new Error(`Only ${counts.completed} of ${count} rows completed: ${JSON.stringify(failed)}`);
  }
  const numbers = Array.from({ length: Math.ceil(count / pageRows) }, (_, page) => page);
  const pageIds = await Promise.all(numbers.map((page) => pageIdOf(fixture, batch.workflowId, page)));
  const root = await sizeOf(fixture.connection, [batch.workflowId]);
  const pages = await sizeOf(fixture.connection, pageIds);
  return {
    rows: count,
    rootEvents: root.events / count,
    rootTasks: root.tasks / count,
    pageEvents: pages.events / count,
    pageTasks: pages.tasks / count,
    historyBytes: (root.bytes + pages.bytes) / count,
    seconds,
  };
}

interface Size {
  events: number;
  tasks: number;
  bytes: number;
}

/**
 * Sums over the latest runs of these workflows. `tasks` counts their workflow task events, which `events` leaves out.
 */
async function sizeOf({ client }: TemporalConnection, workflowIds: readonly string[]): Promise<Size> {
  const size: Size = { events: 0, tasks: 0, bytes: 0 };
  for (const workflowId of workflowIds) {
    const handle = client.workflow.getHandle(workflowId);
    const { events = [] } = await handle.fetchHistory();
    const tasks = (events ?? []).filter((event) =>
      [
        event.workflowTaskScheduledEventAttributes,
        event.workflowTaskStartedEventAttributes,
        event.workflowTaskCompletedEventAttributes,
        event.workflowTaskFailedEventAttributes,
        event.workflowTaskTimedOutEventAttributes,
      ].some((attributes) => attributes !== undefined && attributes !== null),
    ).length;
    size.tasks += tasks;
    size.events += (events ?? []).length - tasks;
    size.bytes += (await handle.describe()).historySize ?? 0;
  }
  return size;
}
