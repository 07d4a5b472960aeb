import { expect, test } from '@jest/globals';
import { NAMED_PERIODS, periodBefore, periodNamed } from '../../../../reports/period/period';

test.each([
  ['a day after the clocks went forward is preceded by the 23 hours before', '29T22', '30T22', '28T23'],
  ['a week that holds the change is preceded by seven whole days', '22T23', '29T22', '15T23'],
  ['six hours are preceded by six hours', '29T00', '29T06', '28T18'],
  ['24 hours that do not begin at midnight are preceded by 24 hours', '29T10', '30T10', '28T10'],
])('in March, %s', (_what, from, to, before) => {
  const hour = (text: string): string => `2026-03-${text}:00:00.000Z`;
  const period = { from: hour(from), to: hour(to) };
  expect(periodBefore(period, 'Europe/Berlin')).toEqual({ from: hour(before), to: hour(from) });
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
