import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newerLine } from '../../../../../../temporal/activities/batch/ledger/ledger';
import type { AccountLine } from '../../../../../../temporal/contract/batch';

const lines = fc.record({
  line: fc.constant(2),
  id: fc.constant('row'),
  source: fc.constant('row.mp4'),
  workflowId: fc.constant('upload/a/batch/row'),
  status: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED'),
  attempts: fc.integer({ min: 1, max: 3 }),
  round: fc.integer({ min: 1, max: 3 }),
  endedAt: fc.integer({ min: 0, max: 3 }).map((second) => new Date(second * 1000).toISOString()),
  orphans: fc.array(
    fc.record({ uploadId: fc.constantFrom('a', 'b', 'c'), reason: fc.constantFrom('lost', 'cancelled') }),
    { maxLength: 3 },
  ),
}) satisfies fc.Arbitrary<AccountLine>;

function merged(all: readonly AccountLine[]): AccountLine | undefined {
  const [first, ...others] = all;
  return first === undefined ? undefined : others.reduce(newerLine, first);
}

describe('of all lines that a row has', () => {
  it('the same one stands in whatever order they are read', () => {
    fc.assert(
      fc.property(
        fc
          .array(lines, { minLength: 1, maxLength: 6 })
          .chain((all) =>
            fc.tuple(
              fc.constant(all),
              fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
            ),
          ),
        ([all, shuffled]) => expect(merged(shuffled)).toEqual(merged(all)),
      ),
    );
  });

  it('every session that any of them left is told once', () => {
    const sessionsOf = (all: readonly AccountLine[]): string[] => [
      ...new Set(all.flatMap(({ orphans }) => orphans.map(({ uploadId }) => uploadId ?? ''))),
    ];
    fc.assert(
      fc.property(fc.array(lines, { minLength: 2, maxLength: 6 }), (all) => {
        const told = merged(all)?.orphans.map(({ uploadId }) => uploadId);
        expect(told?.sort()).toEqual(sessionsOf(all).sort());
      }),
    );
  });

  it('a completed one stands, else one of the newest round, with the most attempts that any tells', () => {
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 6 }), (all) => {
        const line = merged(all);
        const isCompleted = all.some(({ status }) => status === 'COMPLETED');
        expect(line?.status === 'COMPLETED').toBe(isCompleted);
        if (!isCompleted) expect(line?.round).toBe(Math.max(...all.map(({ round }) => round)));
        expect(line?.attempts).toBe(Math.max(...all.map(({ attempts }) => attempts)));
      }),
    );
  });
});
