import fc from 'fast-check';
import { planOf, reportOf, type FixtureDelivery } from './report-fixture';

const { query: period } = planOf();
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

test('intervals, groups with their others, rates and the change add up to the totals', () => {
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
      for (const counts of [report.totals, ...report.intervals]) {
        expect(counts.total).toBe(counts.failed + counts.success);
        expect(counts.failureRate).toBe(counts.total === 0 ? null : counts.failed / counts.total);
      }
      const { totals, before, change } = report;
      expect(sum([before?.failed ?? null, change?.failed ?? null])).toBe(failed);
      expect(sum([before?.total ?? null, change?.total ?? null])).toBe(all.length);
      if (totals.failureRate === null) expect(change?.failureRate).toBeNull();
      else
        expect((before?.failureRate ?? 0) + (change?.failureRate ?? 0)).toBeCloseTo(totals.failureRate, 12);
    }),
    { numRuns: 80 },
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
