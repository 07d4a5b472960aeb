import { describe, expect, it } from '@jest/globals';
import { NO_ROWS } from '../../../../../temporal/contract/batch-counts';
import type { BatchCounts } from '../../../../../temporal/contract/batch';
import { BatchTally } from '../../../../../temporal/workflows/batch/batch-tally';

function counts(change: Partial<BatchCounts>): BatchCounts {
  return { ...NO_ROWS, ...change };
}

describe('the tally of a batch', () => {
  it('counts what ended pages left and running pages told, and the rest as waiting', () => {
    const tally = new BatchTally();
    tally.pageEnded({
      page: 0,
      counts: counts({ rows: 5, completed: 4, failed: 1, bytes: 40 }),
      failures: 1,
    });
    tally.reported({
      page: 1,
      losses: 0,
      allBegun: true,
      counts: counts({ rows: 5, completed: 2, running: 3 }),
      failures: 0,
    });
    expect(tally.counts(20)).toEqual(
      counts({ rows: 20, completed: 6, failed: 1, running: 3, waiting: 10, bytes: 40 }),
    );
    expect(new BatchTally(tally.state).counts(20)).toEqual(tally.counts(20));
  });

  it('counts a page by its result alone once it has ended, whatever it told before', () => {
    const tally = new BatchTally();
    const told = counts({ rows: 3, completed: 1, failed: 1, running: 1 });
    tally.reported({ page: 0, losses: 0, allBegun: true, counts: told, failures: 1 });
    tally.pageEnded({ page: 0, counts: counts({ rows: 3, completed: 2, failed: 1 }), failures: 1 });
    expect(tally.counts(3)).toEqual(counts({ rows: 3, completed: 2, failed: 1 }));
    expect(tally.reasonToPause({ maxFailures: 2 })).toBeUndefined();
    expect(tally.reasonToPause({ maxFailures: 1 })).toMatch(/^1 rows have failed/);
  });

  it('holds the share of failed rows against those of this round, since rows of earlier ones prove nothing', () => {
    const tally = new BatchTally();
    tally.pageEnded({ page: 0, counts: counts({ completed: 1_000, earlier: 985, failed: 5 }), failures: 5 });
    expect(tally.reasonToPause({ maxFailureRate: 0.25 })).toMatch(/^5 of 20 rows have failed/);
    expect(tally.reasonToPause({ maxFailureRate: 0.26 })).toBeUndefined();
  });

  it('forgets what a lost page told, and counts the page once when it ends', () => {
    const tally = new BatchTally();
    tally.reported({
      page: 0,
      losses: 0,
      allBegun: false,
      counts: counts({ rows: 3, failed: 1, running: 2 }),
      failures: 1,
    });
    tally.forget(0);
    expect(tally.counts(3)).toEqual(counts({ rows: 3, waiting: 3 }));
    tally.pageEnded({ page: 0, counts: counts({ rows: 3, completed: 3 }), failures: 0 });
    expect(tally.counts(3)).toEqual(counts({ rows: 3, completed: 3 }));
  });

  it.each([
    [
      'as many rows failed as are allowed',
      { maxFailures: 2 },
      { completed: 0, failed: 2 },
      /^2 rows have failed/,
    ],
    ['fewer failed', { maxFailures: 3 }, { completed: 0, failed: 2 }, undefined],
    ['no limit is set', {}, { completed: 0, failed: 90 }, undefined],
    [
      'the share is reached',
      { maxFailureRate: 0.1 },
      { completed: 18, failed: 2 },
      /^2 of 20 rows .* at 10 %\.$/,
    ],
    [
      'the share is reached over too few rows',
      { maxFailureRate: 0.1 },
      { completed: 10, failed: 9 },
      undefined,
    ],
    [
      'rows failed in an earlier round alone',
      { maxFailures: 1 },
      { completed: 0, failed: 5, failures: 0 },
      undefined,
    ],
  ])('when %s tells whether to pause', (_when, options, { completed, failed, ...more }, expected) => {
    const failures = 'failures' in more ? more.failures : failed;
    const tally = new BatchTally();
    tally.pageEnded({ page: 0, counts: counts({ completed, failed }), failures });
    const reason = tally.reasonToPause(options);
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
    tally.forgive();
    expect(tally.reasonToPause(options)).toBeUndefined();
  });
});
