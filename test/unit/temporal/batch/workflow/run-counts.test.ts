import { NO_ROWS } from '../../../../../temporal/batch/counts';
import type { BatchCounts, BatchOptions } from '../../../../../temporal/batch/types';
import { RunCounts } from '../../../../../temporal/batch/workflow/run-counts';

function counts(change: Partial<BatchCounts>): BatchCounts {
  return { ...NO_ROWS, ...change };
}

describe('the counter of a running batch', () => {
  it('adds up skipped rows, the results of ended pages and the reports of running ones, and counts the rest as waiting', () => {
    const total = new RunCounts();
    total.skipped(2);
    total.pageEnded(0, { counts: counts({ rows: 5, completed: 4, failed: 1, bytes: 40 }), failures: 1 });
    total.reported({ page: 1, counts: counts({ rows: 5, completed: 2, running: 3 }), failures: 0 });
    expect(total.counts(20)).toEqual(
      counts({ rows: 20, completed: 6, failed: 3, running: 3, waiting: 8, bytes: 40 }),
    );
    expect([total.ended.rows, total.pagesDone]).toEqual([7, 1]);
    total.closed(counts({ rows: 20, completed: 17, failed: 3 }));
    expect(total.counts(20)).toEqual(counts({ rows: 20, completed: 17, failed: 3 }));
  });

  it('counts an ended page only by its result, whatever it reported before', () => {
    const total = new RunCounts();
    const report = counts({ rows: 3, completed: 1, failed: 1, running: 1 });
    total.reported({ page: 0, counts: report, failures: 1 });
    expect(total.reasonToPause({ maxFailures: 1 })).toMatch(/^1 rows have failed/);
    total.pageEnded(0, { counts: counts({ rows: 3, completed: 2, failed: 1 }), failures: 1 });
    expect(total.counts(3)).toEqual(counts({ rows: 3, completed: 2, failed: 1 }));
    expect(total.reasonToPause({ maxFailures: 2 })).toBeUndefined();
    expect(total.reasonToPause({ maxFailures: 1 })).toMatch(/^1 rows have failed/);
  });

  it('compares the share of failed rows only with rows of this round, and since the last resume', () => {
    const total = new RunCounts();
    total.pageEnded(0, { counts: counts({ completed: 1_000, earlier: 985, failed: 5 }), failures: 5 });
    expect(total.reasonToPause({ maxFailureRate: 0.25 })).toMatch(/^5 of 20 rows have failed/);
    expect(total.reasonToPause({ maxFailureRate: 0.26 })).toBeUndefined();
    total.forgive(1);
    total.pageEnded(1, { counts: counts({ completed: 10, failed: 10 }), failures: 10 });
    expect(total.reasonToPause({ maxFailureRate: 0.5 })).toMatch(/^10 of 20 rows have failed, .* at 50 %\.$/);
  });

  it('adds up the newest equal failures of each worker, until its page ends with a completed row or the batch is resumed', () => {
    const total = new RunCounts();
    const report = (worker: string, page: number, count: number, resumes = 0): string | undefined => {
      const last = { code: 'StorageRefused', message: 'refused', facts: {} } as const;
      const same = { worker, cause: 'refused', count, last, resumes };
      total.reported({ page, counts: NO_ROWS, failures: 0, same });
      return total.reasonToPause({});
    };
    expect([report('a', 0, 4), report('b', 1, 5), report('a', 2, 5)]).toEqual([
      undefined,
      undefined,
      expect.stringContaining('10 rows failed for the same reason'),
    ]);
    expect(total.reasonToPause({ maxSameFailures: 11 })).toBeUndefined();
    total.pageEnded(2, { counts: NO_ROWS, failures: 0 });
    expect(total.reasonToPause({})).toBeDefined();
    total.pageEnded(1, { counts: counts({ completed: 1 }), failures: 0 });
    expect(total.reasonToPause({})).toBeUndefined();
    expect(report('b', 3, 5)).toBeDefined();
    total.forgive(1);
    // Rows that began before the resume report late.
    expect([report('a', 2, 9), report('b', 3, 6)]).toEqual([undefined, undefined]);
    expect([report('a', 2, 5, 1), report('b', 3, 5, 1)]).toEqual([undefined, expect.any(String)]);
  });

  const TENTH = { maxFailureRate: 0.1 };

  it.each<[when: string, BatchOptions, ended: [completed: number, failed: number], RegExp | undefined]>([
    ['as many rows failed as are allowed', { maxFailures: 2 }, [0, 2], /^2 rows have failed/],
    ['fewer failed', { maxFailures: 3 }, [0, 2], undefined],
    ['no limit is set', {}, [0, 90], undefined],
    ['the share is reached', TENTH, [18, 2], /^2 of 20 rows .* at 10 %\.$/],
    ['a single row is the share', { maxFailureRate: 0.05 }, [19, 1], /^1 of 20 rows .* at 5 %\.$/],
    ['the share is reached over too few rows', TENTH, [10, 9], undefined],
  ])('decides whether to pause when %s', (_when, options, [completed, failed], expected) => {
    const total = new RunCounts();
    total.pageEnded(0, { counts: counts({ completed, failed }), failures: failed });
    const reason = total.reasonToPause(options);
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
    total.forgive(1);
    expect(total.reasonToPause(options)).toBeUndefined();
  });

  it('does not pause for rows that failed only in an earlier round', () => {
    const total = new RunCounts();
    total.pageEnded(0, { counts: counts({ failed: 5 }), failures: 0 });
    expect(total.reasonToPause({ maxFailures: 1 })).toBeUndefined();
  });
});
