import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newestCounts } from '../../../../../temporal/client/batch/live-batch';
import type { BatchCounts } from '../../../../../temporal/contract/batch';

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
      const answers = pages.map((one, page) => ({ page, counts: one }));
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
  const done: BatchCounts = {
    rows: 2,
    completed: 2,
    failed: 0,
    cancelled: 0,
    running: 0,
    waiting: 0,
    earlier: 0,
    bytes: 9,
  };
  expect(newestCounts({ counts: done, ended: done }, [{ page: 0, counts: done }]).waiting).toBe(0);
});
