import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
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

describe('the history of a batch', () => {
  it.each([100, 300])('has a few events for each page, and none for a row: %i rows', async (rows) => {
    const cost = await costOfBatch(on.fixture, { rows, pageRows: PAGE_ROWS });
    expect((cost.pageEvents + cost.pageTasks) * PAGE_ROWS).toBeLessThan(MAX_PAGE_EVENTS);
    expect((cost.rootEvents + cost.rootTasks) * PAGE_ROWS).toBeLessThan(
      MAX_ROOT_EVENTS + (MAX_ROOT_ONCE * PAGE_ROWS) / rows,
    );
    expect(cost.historyBytes * PAGE_ROWS).toBeLessThan(MAX_BYTES);
  });
});
