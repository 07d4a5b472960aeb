import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { findWaitReason } from '../../../../../temporal/client/wait-reason';
import type { Look } from '../../../../../temporal/client/wait-reason';
import { newestCounts, rowsOf, rowsWaitReason } from '../../../../../temporal/batch/client/live-batch';
import type { BatchCounts } from '../../../../../temporal/batch/types';
import { NO_ROWS } from '../../../../../temporal/batch/counts';

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
const described = (raw: object): Described => ({ raw: raw, taskQueue: 'q' });
const read = (payloads: readonly unknown[]): Promise<unknown[]> => Promise.resolve([...payloads]);
const look: Look = { read, unserved: () => Promise.resolve(undefined) };
const waiting = (type: string, message: string): Described =>
  described({ pendingActivities: [{ lastFailure: { message, applicationFailureInfo: { type } } }] });
const GOING = described({ pendingActivities: [{}] });
const AWAY = waiting('Transport', "S3 can't be reached");
const BUSY = waiting('StorageBusy', 'storage answers 503');

it.each([
  ['no row runs', [], undefined],
  ['no row waits', [GOING, GOING], undefined],
  ['one of them waits', [GOING, AWAY], "1 of 2 checked rows waits: S3 can't be reached"],
  ['the only one waits', [AWAY], "1 of 1 checked row waits: S3 can't be reached"],
  ['they wait for several', [BUSY, AWAY, GOING, AWAY], "2 of 4 checked rows wait: S3 can't be reached"],
])('the wait reason of rows if %s', async (_label, rows, message) => {
  expect((await rowsWaitReason(rows, (row) => findWaitReason(row, look)))?.message).toBe(message);
});

it('takes the rows of a page in the order in which they began', () => {
  const pendingChildren = [
    { workflowId: 'later', initiatedId: 30 },
    { workflowId: 'first', initiatedId: 5 },
  ];
  expect(rowsOf(described({ pendingChildren }))).toEqual(['first', 'later']);
  expect(rowsOf(described({}))).toEqual([]);
});

const part = fc.nat(10_000);
const counts = fc
  .record({ completed: part, failed: part, cancelled: part, running: part, waiting: part, bytes: part })
  .map((of): BatchCounts => ({
    ...of,
    rows: of.completed + of.failed + of.cancelled + of.running + of.waiting,
    earlier: Math.floor(of.completed / 2),
  }));

it('the counts always add up to the rows, whatever pages report', () => {
  fc.assert(
    fc.property(counts, fc.array(counts, { maxLength: 5 }), part, (ended, pages, later) => {
      const all = [ended, ...pages];
      const rows = all.reduce((sum, one) => sum + one.rows, later);
      const answers = pages.map((one) => ({ counts: one }));
      const newest = newestCounts({ counts: { ...ended, rows }, ended }, answers);
      expect(newest.rows).toBe(rows);
      expect(newest.completed + newest.failed + newest.cancelled + newest.running + newest.waiting).toBe(
        rows,
      );
      expect(newest.bytes).toBe(all.reduce((sum, one) => sum + one.bytes, 0));
    }),
  );
});

it('a page that ended between the two queries makes no count negative', () => {
  const done = { ...NO_ROWS, rows: 2, completed: 2, bytes: 9 };
  expect(newestCounts({ counts: done, ended: done }, [{ counts: done }]).waiting).toBe(0);
});
