import fc from 'fast-check';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { newestCounts, rowsOf } from '../../../../../temporal/batch/client/live-batch';
import type { BatchCounts } from '../../../../../temporal/batch/types';
import { NO_ROWS } from '../../../../../temporal/batch/counts';

const described = (raw: object): Pick<WorkflowExecutionDescription, 'raw'> => ({ raw });

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
