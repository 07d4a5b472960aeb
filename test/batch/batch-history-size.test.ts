import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
const PAGE_ROWS = 10;

describe('the histories of a batch', () => {
  it('do not grow per row as there are more rows', async () => {
    const small = await costOfBatch(on.bed, { rows: 20, pageRows: PAGE_ROWS });
    const large = await costOfBatch(on.bed, { rows: 60, pageRows: PAGE_ROWS });
    for (const cost of [small, large]) {
      // A row is a child in its page (3 events); a page adds what it loads, writes and tells.
      expect(cost.pageEvents).toBeLessThan(3 + 20 / PAGE_ROWS);
      expect(cost.rootEvents).toBeLessThan(20 / PAGE_ROWS);
      expect(cost.pageTasks).toBeLessThan(3 * 3 + 20 / PAGE_ROWS);
      expect(cost.historyBytes).toBeLessThan(40_000);
    }
    // How often a page of ten tells of its tail, two events each, depends on how many rows end at once: 40 to 48 events.
    expect(large.pageEvents).toBeLessThanOrEqual(small.pageEvents * 1.2);
    expect(large.rootEvents).toBeLessThanOrEqual(small.rootEvents * 1.1);
    expect(large.typicalUploadEvents).toBe(small.typicalUploadEvents);
    // On a busy machine the answer of a start may be lost: room for one such upload in seven.
    expect(large.uploadEvents).toBeLessThanOrEqual(small.uploadEvents * 1.05);
  });
});
