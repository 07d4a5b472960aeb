import { expect, test } from '@jest/globals';
import { PERIODS, windowOfPeriod } from '../../../../reports/period/named-period';
import { windowBefore } from '../../../../reports/period/window';

test.each([
  {
    what: 'a day after the clocks went forward is preceded by the 23 hours before',
    window: { from: '2026-03-29T22:00:00.000Z', to: '2026-03-30T22:00:00.000Z' },
    before: '2026-03-28T23:00:00.000Z',
  },
  {
    what: 'a week that holds the change is preceded by seven whole days',
    window: { from: '2026-03-22T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' },
    before: '2026-03-15T23:00:00.000Z',
  },
  {
    what: 'six hours are preceded by six hours',
    window: { from: '2026-03-29T00:00:00.000Z', to: '2026-03-29T06:00:00.000Z' },
    before: '2026-03-28T18:00:00.000Z',
  },
])('$what', ({ window, before }) => {
  expect(windowBefore(window, 'Europe/Berlin')).toEqual({ from: before, to: window.from });
});

test('the named periods are those of the zone, at a moment when it has another day than UTC', () => {
  const now = Date.parse('2026-03-31T22:30:00Z');
  const windows = Object.fromEntries(
    PERIODS.map((period) => {
      const { from, to } = windowOfPeriod(period, now, 'Europe/Berlin');
      return [period, `${from.slice(0, 16)} ${to.slice(0, 16)}`];
    }),
  );
  expect(windows).toEqual({
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
])(
  'where clocks skip midnight, yesterday and the day before it are whole, $what',
  ({ now, from, before }) => {
    const yesterday = windowOfPeriod('yesterday', Date.parse(now), 'America/Santiago');
    expect(yesterday.from.slice(0, 16)).toBe(from);
    expect(windowBefore(yesterday, 'America/Santiago').from.slice(0, 16)).toBe(before);
  },
);

test('24 hours that begin at no midnight are preceded by 24 hours, also where clocks change', () => {
  const window = { from: '2026-03-29T10:00:00.000Z', to: '2026-03-30T10:00:00.000Z' };
  expect(windowBefore(window, 'Europe/Berlin').from).toBe('2026-03-28T10:00:00.000Z');
});
