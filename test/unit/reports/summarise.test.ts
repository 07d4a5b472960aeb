import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planOf, reportOf, type FixtureDelivery } from './report-fixture';

const RUNS = { numRuns: 40 };
const { period } = planOf();
const deliveries = fc.array(
  fc.record(
    {
      sentAt: fc
        .integer({ min: Date.parse(period.from), max: Date.parse(period.to) - 1 })
        .map((ms) => new Date(ms).toISOString()),
      status: fc.constantFrom<FixtureDelivery['status']>('FAILED', 'SUCCESS'),
      mediaId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      subAccountId: fc.constantFrom('x', 'y'),
    },
    { requiredKeys: ['sentAt', 'status'] },
  ),
  { maxLength: 60 },
);

const sum = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? Number.NaN), 0);

test('intervals add up to the totals, and so do the rows of each group with their others', () => {
  fc.assert(
    fc.property(deliveries, fc.integer({ min: 1, max: 7 }), (all, top) => {
      const report = reportOf(all, { top });
      const failed = all.filter(({ status }) => status === 'FAILED').length;
      expect(report.totals).toMatchObject({ total: all.length, failed, success: all.length - failed });
      expect(sum(report.intervals.map((each) => each.failed))).toBe(failed);
      expect(sum(report.intervals.map((each) => each.success))).toBe(all.length - failed);
      for (const breakdown of [report.media, report.subAccounts]) {
        const { rows = [], others = { failed: 0, success: 0 } } = breakdown ?? {};
        expect(rows.length).toBeLessThanOrEqual(top);
        expect(sum([...rows.map((row) => row.failed), others.failed])).toBe(failed);
        expect(sum([...rows.map((row) => row.success), others.success])).toBe(all.length - failed);
        expect(others.failed).toBeGreaterThanOrEqual(0);
        expect(others.success).toBeGreaterThanOrEqual(0);
      }
    }),
    RUNS,
  );
});

test('every rate is failed of all, and empty if nothing was sent', () => {
  fc.assert(
    fc.property(deliveries, (all) => {
      const report = reportOf(all);
      const counted = [report.totals, ...report.intervals];
      for (const { total, failed, success, failureRate } of counted) {
        expect(total).toBe(failed + success);
        expect(failureRate).toBe(total === 0 ? null : failed / total);
      }
    }),
    RUNS,
  );
});

test('the change compares this period with the one before', () => {
  fc.assert(
    fc.property(deliveries, (all) => {
      const { totals, before, change } = reportOf(all);
      expect((before?.failed ?? Number.NaN) + (change?.failed ?? Number.NaN)).toBe(totals.failed);
      expect((before?.total ?? Number.NaN) + (change?.total ?? Number.NaN)).toBe(totals.total);
      if (totals.failureRate === null) expect(change?.failureRate).toBeNull();
      else
        expect((before?.failureRate ?? 0) + (change?.failureRate ?? 0)).toBeCloseTo(totals.failureRate, 12);
    }),
    RUNS,
  );
});

test('rows with most failures come first, and equal ones by ID', () => {
  const sentAt = period.from;
  const failed = (mediaId: string): FixtureDelivery => ({ sentAt, status: 'FAILED', mediaId });
  const { media } = reportOf([
    ...['b', 'c', 'a', 'c'].map(failed),
    { sentAt, status: 'SUCCESS', mediaId: 'c' },
  ]);
  expect(media?.rows).toEqual([
    { id: 'c', failed: 2, success: 1, failureRate: 2 / 3 },
    { id: 'a', failed: 1, success: 0, failureRate: 1 },
    { id: 'b', failed: 1, success: 0, failureRate: 1 },
  ]);
});
