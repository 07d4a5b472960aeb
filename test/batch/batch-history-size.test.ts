import { resultsOfBatch, pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { historyCost, sum } from '../support/history-cost';
import type { HistoryCost } from '../support/history-cost';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const PAGE_ROWS = 50;
/** A page has one activity, or two if some rows are processed for long, and a workflow task for each step. */
const MAX_PAGE_EVENTS = 24;
/** A page is three events of its root, and two workflow tasks of three events at most. */
const MAX_ROOT_EVENTS = 10;
/** The plan, the results, and a report of the first page once the batch is proven, with a workflow task each. */
const MAX_ROOT_ONCE = 29;
/** Of a page and its share of the root, which holds the rows of a short manifest: 1.2 times the 22,021 that were measured. */
const MAX_BYTES = 26_400;

/** The cost of a batch per row. Events of workflow tasks count apart: see `HistoryCost`. */
interface BatchCost {
  readonly rootEvents: number;
  readonly rootTasks: number;
  readonly pageEvents: number;
  readonly pageTasks: number;
  readonly historyBytes: number;
}

/** Runs a batch of `count` small files in pages of `pageRows` rows, and reads all its histories. */
async function costOfBatch(count: number, pageRows: number): Promise<BatchCost> {
  const { fixture } = on;
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
    rootEvents: root.events / count,
    rootTasks: root.tasks / count,
    pageEvents: perRow(({ events }) => events),
    pageTasks: perRow(({ tasks }) => tasks),
    historyBytes: root.bytes / count + perRow(({ bytes }) => bytes),
  };
}

describe('the history of a batch', () => {
  it.each([100, 300])('has a few events for each page, and none for a row: %i rows', async (rows) => {
    const cost = await costOfBatch(rows, PAGE_ROWS);
    expect((cost.pageEvents + cost.pageTasks) * PAGE_ROWS).toBeLessThan(MAX_PAGE_EVENTS);
    expect((cost.rootEvents + cost.rootTasks) * PAGE_ROWS).toBeLessThan(
      MAX_ROOT_EVENTS + (MAX_ROOT_ONCE * PAGE_ROWS) / rows,
    );
    expect(cost.historyBytes * PAGE_ROWS).toBeLessThan(MAX_BYTES);
  });
});
