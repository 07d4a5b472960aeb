import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import type { BatchCost } from '../support/batch-history';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const PAGE_ROWS = 100;
/** Per row: 1.2 times the most that was measured, which was 3.1 to 4.4 KB at a load of 20 to 40 on 2 cores. */
const MAX_BYTES = 5_300;
/**
 * Per row of a page: 1.2 times the most that was measured. How many rows share a group depends on how fast the machine
 * is at that moment: 1.6 at a load of 16, 2.3 on an idle machine. A group that takes long sends outcomes early, each
 * time with at least half of what is left; each signal causes a workflow task and smaller groups. If outcomes are sent
 * early every 20 ms it is 3.3, the most that this adds. So a batch that runs while other tests end can cost twice as much
 * as the one before it. The same bounds for every size catch a cost that grows with the rows. What a row costs without
 * early outcomes, to which one more event would show, is in test/batch/batch-history-size.
 */
const MAX_PAGE_EVENTS = 4;

describe('the history of a batch of 300, 600 and 1,200 rows', () => {
  it('does not grow per row', async () => {
    const costs: BatchCost[] = [];
    for (const rows of [300, 600, 1_200])
      costs.push(await costOfBatch(on.fixture, { rows, pageRows: PAGE_ROWS }));
    console.table(costs);
    for (const { pageEvents, pageTasks, rootEvents, rootTasks, historyBytes } of costs) {
      expect(pageEvents + pageTasks).toBeLessThan(MAX_PAGE_EVENTS);
      expect(rootEvents + rootTasks).toBeLessThan(1);
      expect(historyBytes).toBeLessThan(MAX_BYTES);
    }
  });
});
