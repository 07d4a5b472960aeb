import { expect, test } from '@jest/globals';
import { NAMED_PERIODS, periodNamed } from '../../../../reports/period/named-period';
import { periodBefore } from '../../../../reports/period/period';

test.each([
  {
    what: 'a day after the clocks went forward is preceded by the 23 hours before',
    period: { from: '2026-03-29T22:00:00.000Z', to: '2026-03-30T22:00:00.000Z' },
    before: '2026-03-28T23:00:00.000Z',
  },
  {
    what: 'a week that holds the change is preceded by seven whole days',
    period: { from: '2026-03-22T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' },
    before: '2026-03-15T23:00:00.000Z',
  },
  {
    what: 'six hours are preceded by six hours',
    period: { from: '2026-03-29T00:00:00.000Z', to: '2026-03-29T06:00:00.000Z' },
    before: '2026-03-28T18:00:00.000Z',
  },
])('$what', ({ period, before }) => {
  expect(periodBefore(period, 'Europe/Berlin')).toEqual({ from: before, to: period.from });
});

test('the named periods follow the zone, even when its day differs from UTC', () => {
  const now = Date.parse('2026-03-31T22:30:00Z');
  const periods = Object.fromEntries(
    NAMED_PERIODS.map((period) => {
      const { from, to } = periodNamed(period, now, 'Europe/Berlin');
      return [period, `${from.slice(0, 16)} ${to.slice(0, 16)}`];
    }),
  );
  expect(periods).toEqual({
    yesterday: '2026-03-30T22:00 2026-03-31T22:00',
    last24Hours: '2026-03-30T22:30 2026-03-31T22:30',
    last7Days: '2026-03-24T23:00 2026-03-31T22:00',
    last30Days: '2026-03-01T23:00 2026-03-31T22:00',
    lastWeek: '2026-03-22T23:00 2026-03-29T22:00',
    lastMonth: '2026-02-28T23:00 2026-03-31T22:00',
    thisMonth: '2026-03-31T22:00 2026-03-31T22:30',
  });
});

test.each([
  { what: 'on the day', now: '2026-09-06T15:00:00Z', from: '2026-09-05T04:00', before: '2026-09-04T04:00' },
  {
    what: 'on the day after',
    now: '2026-09-07T15:00:00Z',
    from: '2026-09-06T04:00',
    before: '2026-09-05T04:00',
  },
])('if clocks skip midnight, yesterday and the day before are complete, $what', ({ now, from, before }) => {
  const yesterday = periodNamed('yesterday', Date.parse(now), 'America/Santiago');
  expect(yesterday.from.slice(0, 16)).toBe(from);
  expect(periodBefore(yesterday, 'America/Santiago').from.slice(0, 16)).toBe(before);
});

test('24 hours that do not begin at midnight follow 24 hours, even when clocks change', () => {
  const period = { from: '2026-03-29T10:00:00.000Z', to: '2026-03-30T10:00:00.000Z' };
  expect(periodBefore(period, 'Europe/Berlin').from).toBe('2026-03-28T10:00:00.000Z');
});
