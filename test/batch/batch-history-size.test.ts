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

const SENT_PAGE_ROWS = 50;
/**
 * Per page. How many rows share a group depends on how fast the machine is at that moment; what a group costs does not.
 * A group is an activity of three events, and sends outcomes early at most once here. Each of the two causes at most
 * one workflow task of three events. A page has 8 events and a task of its own.
 */
const maxPageEvents = (activities: number): number => 12 + 4 * activities + 3 * (4 + 2 * activities);
/** Per row: 1.2 times the 2.8 KB that were measured without groups, and the 1.2 KB of each group. */
const maxBytes = (activities: number): number => 3_360 + 1_440 * activities;
/** Per row, about 1.2 times the most at a load of 20 to 40 on 2 cores: a page of a busy machine reports more often. */
const MAX_SENT_ROOT_EVENTS = 0.95;

describe('the history of a batch whose files are really sent', () => {
  const sending = useUploadFixture();

  it('holds nothing for a single row besides its entries in groups, however many rows there are', async () => {
    for (const rows of [100, 300]) {
      const cost = await costOfBatch(sending.fixture, { rows, pageRows: SENT_PAGE_ROWS });
      const activities = cost.pageActivities * SENT_PAGE_ROWS;
      const events = (cost.pageEvents + cost.pageTasks) * SENT_PAGE_ROWS;
      expect(events).toBeLessThan(maxPageEvents(activities));
      expect(cost.rootEvents + cost.rootTasks).toBeLessThan(MAX_SENT_ROOT_EVENTS);
      expect(cost.historyBytes).toBeLessThan(maxBytes(cost.pageActivities));
    }
  });
});
