import { describe, expect, it } from '@jest/globals';
import { costOfBatch } from '../support/batch-history';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
const PAGE_ROWS = 50;

describe('the history of a batch', () => {
  it('holds few events per row, and no more per row when there are more rows', async () => {
    const small = await costOfBatch(on.fixture, { rows: 100, pageRows: PAGE_ROWS });
    const large = await costOfBatch(on.fixture, { rows: 300, pageRows: PAGE_ROWS });
    for (const cost of [small, large]) {
      expect(cost.pageEvents + cost.pageTasks).toBeLessThan(6);
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(1);
      expect(cost.historyBytes).toBeLessThan(8_000);
    }
    // How many rows share a group depends on how fast the machine is.
    expect(large.historyBytes).toBeLessThanOrEqual(small.historyBytes * 1.25);
  });
});
