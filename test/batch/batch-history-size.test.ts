import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
const PAGE_ROWS = 50;

describe('the histories of a batch', () => {
  it('hold few events for a row, and no more as there are more rows', async () => {
    const small = await costOfBatch(on.bed, { rows: 100, pageRows: PAGE_ROWS });
    const large = await costOfBatch(on.bed, { rows: 300, pageRows: PAGE_ROWS });
    for (const cost of [small, large]) {
      expect(cost.pageEvents + cost.pageTasks).toBeLessThan(6);
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(1);
      expect(cost.historyBytes).toBeLessThan(8_000);
    }
    // How many rows share a group depends on how fast the machine is.
    expect(large.historyBytes).toBeLessThanOrEqual(small.historyBytes * 1.25);
  });
});
