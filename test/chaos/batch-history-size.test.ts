import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import type { BatchCost } from '../support/batch-history';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const PAGE_ROWS = 100;
/** Per row: 1.2 times the most that was measured, which was 3.1 to 4.4 KB at a load of 20 to 40 on 2 cores. */
const MAX_BYTES = 5_300;

describe('the history of a batch of 300, 600 and 1,200 rows', () => {
  it('does not grow per row', async () => {
    const costs: BatchCost[] = [];
    for (const rows of [300, 600, 1_200])
      costs.push(await costOfBatch(on.fixture, { rows, pageRows: PAGE_ROWS }));
    console.table(costs);
    const [small, , large] = costs;
    if (small === undefined || large === undefined) throw new Error('There are three batches.');
    // How many rows share a group depends on how fast the machine is.
    expect(large.pageEvents).toBeLessThanOrEqual(small.pageEvents * 1.25);
    // A page reports to its root one to six times, depending on how many rows end at once.
    expect(large.rootEvents).toBeLessThanOrEqual(small.rootEvents * 1.25);
    expect(large.pageEvents + large.pageTasks).toBeLessThan(3);
    expect(large.rootEvents + large.rootTasks).toBeLessThan(1);
    for (const { historyBytes } of costs) expect(historyBytes).toBeLessThan(MAX_BYTES);
    expect(large.historyBytes).toBeLessThanOrEqual(small.historyBytes * 1.1);
  });
});
