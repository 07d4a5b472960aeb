import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const PAGE_ROWS = 50;
/**
 * Per row, about 1.2 times the most that was measured, at a load of 20 to 40 on 2 cores: 2.8 to 4.2 events of
 * pages, 0.5 to 0.8 of the root, 3.5 to 4.1 KB. How many rows share a group depends on how fast the machine
 * is at that moment, so two batches are not compared with each other. In pages this small, what a page costs by itself
 * weighs more than in docs/operations/sizing.md.
 */
const MAX_PAGE_EVENTS = 5;
const MAX_ROOT_EVENTS = 0.95;
const MAX_BYTES = 5_000;

describe('the history of a batch', () => {
  it('holds few events per row, however many rows there are', async () => {
    const small = await costOfBatch(on.fixture, { rows: 100, pageRows: PAGE_ROWS });
    const large = await costOfBatch(on.fixture, { rows: 300, pageRows: PAGE_ROWS });
    for (const cost of [small, large]) {
      expect(cost.pageEvents + cost.pageTasks).toBeLessThan(MAX_PAGE_EVENTS);
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(MAX_ROOT_EVENTS);
      expect(cost.historyBytes).toBeLessThan(MAX_BYTES);
    }
  });
});
