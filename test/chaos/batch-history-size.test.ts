import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import type { BatchCost } from '../support/batch-history';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
const PAGE_ROWS = 100;

describe('the histories of a batch of 300, 600 and 1,200 rows', () => {
  it('do not grow per row', async () => {
    const costs: BatchCost[] = [];
    for (const rows of [300, 600, 1_200])
      costs.push(await costOfBatch(on.bed, { rows, pageRows: PAGE_ROWS }));
    console.table(costs);
    const [small, , large] = costs;
    if (small === undefined || large === undefined) throw new Error('There are three batches.');
    expect(large.pageEvents).toBeLessThanOrEqual(small.pageEvents * 1.05);
    // A page tells its root of its tail once to six times, by how many rows end at once.
    expect(large.rootEvents).toBeLessThanOrEqual(small.rootEvents * 1.25);
    expect(large.typicalUploadEvents).toBe(small.typicalUploadEvents);
    // On a busy machine the answer of a start may be lost: room for one such upload in seven.
    expect(large.uploadEvents).toBeLessThanOrEqual(small.uploadEvents * 1.05);
    expect(large.pageEvents + large.pageTasks).toBeLessThan(13);
    expect(large.rootEvents + large.rootTasks).toBeLessThan(1);
    // With the workflow tasks of pages, up to two a row.
    expect(large.historyBytes).toBeLessThanOrEqual(small.historyBytes * 1.1);
  });
});
