import { resultsOfBatch, pageIdOf, startRows, writeRows } from './batch-fixture';
import { historyCost, sum } from './history-cost';
import type { HistoryCost } from './history-cost';
import type { UploadFixture } from './upload-fixture';

/** The cost of a batch per row. Events of workflow tasks count apart: see `HistoryCost`. */
export interface BatchCost {
  readonly rows: number;
  readonly rootEvents: number;
  readonly rootTasks: number;
  readonly pageEvents: number;
  readonly pageTasks: number;
  readonly historyBytes: number;
}

/** Runs a batch of `rows` small files in pages of `pageRows` rows, and reads all its histories. */
export async function costOfBatch(
  fixture: UploadFixture,
  { rows: count, pageRows }: { readonly rows: number; readonly pageRows: number },
): Promise<BatchCost> {
  const name = `cost-${count}`;
  const rows = await writeRows(fixture, name, count);
  const options = {
    parallelUploads: 4 * pageRows,
    pageRows,
    upload: { pollDelayMs: 50, heartbeatMs: 20_000 },
  };
  const batch = await startRows(fixture, name, rows, { options });
  const { counts } = await batch.result();
  if (counts.completed !== count) {
    const failed = (await resultsOfBatch(fixture, name)).find(({ status }) => status !== 'COMPLETED');
    throw new Error(`Only ${counts.completed} of ${count} rows completed: ${JSON.stringify(failed)}`);
  }
  const numbers = Array.from({ length: Math.ceil(count / pageRows) }, (_, page) => page);
  const pageIds = await Promise.all(numbers.map((page) => pageIdOf(fixture, batch.workflowId, page)));
  const root = await historyCost(fixture.connection, batch.workflowId);
  const pages = await Promise.all(pageIds.map((id) => historyCost(fixture.connection, id)));
  const perRow = (of: (cost: HistoryCost) => number): number => sum(pages.map(of)) / count;
  return {
    rows: count,
    rootEvents: root.events / count,
    rootTasks: root.tasks / count,
    pageEvents: perRow(({ events }) => events),
    pageTasks: perRow(({ tasks }) => tasks),
    historyBytes: root.bytes / count + perRow(({ bytes }) => bytes),
  };
}
