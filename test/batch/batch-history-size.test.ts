import { describe, expect, it } from '@jest/globals';
import { controlQueue, transferQueue } from '../../temporal/contract/upload';
import { costOfBatch } from '../support/batch-history';
import { instantSteps } from '../support/instant-steps';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const PAGE_ROWS = 100;
/**
 * Per row. A page of 100 rows needs 9 activities: it loads, pins, starts 64 and 36 files, completes both, and writes
 * three journals. These are 27 events and 33 of workflow tasks, and 8 events are of the page itself. The rest is room
 * for groups that a busy worker divides. One more event per row is more than all of this.
 */
const MAX_PAGE_EVENTS = 1;
/** Per row: a page costs its root 3 events as a child, and one report with its workflow task, of 12 to 20 in all. */
const MAX_ROOT_EVENTS = 0.4;
/** Per row: 1.2 times the 1.85 KB that its entries in the groups of the page take. */
const MAX_BYTES = 2_200;

describe('the history of a batch whose steps end at once', () => {
  it('holds less than one event per row of a page, however many rows there are', async () => {
    const { fixture } = on;
    const { queuePrefix, accountId } = fixture;
    const queues = {
      [controlQueue(queuePrefix, accountId)]: true,
      [transferQueue(queuePrefix, accountId)]: false,
    };
    await fixture.startBareWorker({ queues, change: () => instantSteps(1_000) });
    for (const rows of [PAGE_ROWS, 4 * PAGE_ROWS, 12 * PAGE_ROWS]) {
      const cost = await costOfBatch(fixture, { rows, pageRows: PAGE_ROWS });
      expect(cost.pageEvents + cost.pageTasks).toBeLessThan(MAX_PAGE_EVENTS);
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(MAX_ROOT_EVENTS);
      expect(cost.historyBytes).toBeLessThan(MAX_BYTES);
    }
  });
});

/**
 * Per row, about 1.2 times the most that was measured at a load of 20 to 40 on 2 cores. How many rows share a group
 * depends on how fast the machine is at that moment.
 */
const SENT = { pageRows: 50, pageEvents: 5, rootEvents: 0.95, bytes: 5_000 };

describe('the history of a batch whose files are really sent', () => {
  const sending = useUploadFixture();

  it('holds few events per row, however many rows there are', async () => {
    for (const rows of [100, 300]) {
      const cost = await costOfBatch(sending.fixture, { rows, pageRows: SENT.pageRows });
      expect(cost.pageEvents + cost.pageTasks).toBeLessThan(SENT.pageEvents);
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(SENT.rootEvents);
      expect(cost.historyBytes).toBeLessThan(SENT.bytes);
    }
  });
});
