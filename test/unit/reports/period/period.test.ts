import { daysName, NAMED_PERIODS, periodBefore, periodNamed } from '../../../../reports/period/period';

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
  ['on the day', '2026-09-06T15:00:00Z', '2026-09-05T04:00', '2026-09-04T04:00'],
  ['on the day after', '2026-09-07T15:00:00Z', '2026-09-06T04:00', '2026-09-05T04:00'],
])('if clocks skip midnight, yesterday and the day before are complete, %s', (_what, now, from, before) => {
  const yesterday = periodNamed('yesterday', Date.parse(now), 'America/Santiago');
  expect(yesterday.from.slice(0, 16)).toBe(from);
  expect(periodBefore(yesterday, 'America/Santiago').from.slice(0, 16)).toBe(before);
});

test.each([
  ['one day of the zone', '2026-11-20T23:00:00Z', '2026-11-21T23:00:00Z', '2026-11-21'],
  ['a week', '2026-11-13T23:00:00Z', '2026-11-20T23:00:00Z', '2026-11-14-to-2026-11-20'],
  ['a day of 23 hours', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', '2026-03-29'],
])('%s is named after its local days', (_what, from, to, name) => {
  expect(daysName({ from, to }, 'Europe/Berlin')).toBe(name);
});

test.each([
  ['an hour of one day', '21T07:00:00.000Z', '21T08:00:00.000Z', '21T0800+0100', '21T0900+0100'],
  ['the last hour of a day', '21T22:00:00Z', '21T23:00:00Z', '21T2300+0100', '22T0000+0100'],
  ['a day of UTC', '21T00:00:00Z', '22T00:00:00Z', '21T0100+0100', '22T0100+0100'],
  [
    'a period that begins within a minute',
    '21T07:00:30.500Z',
    '21T08:00:00Z',
    '21T080030+0100',
    '21T0900+0100',
  ],
  ['a period given in local time', '21T08:00:00+01:00', '21T09:00:00+01:00', '21T0800+0100', '21T0900+0100'],
])('%s in Berlin is named after its local times', (_what, from, to, first, last) => {
  const november = (time: string): string => `2026-11-${time}`;
  const name = daysName({ from: november(from), to: november(to) }, 'Europe/Berlin');
  expect(name).toBe(`2026-11-${first}-to-2026-11-${last}`);
});

test('each hour of a day has its own name, even when clocks go back', () => {
  const begin = Date.parse('2026-10-24T22:00:00Z');
  const iso = (hour: number): string => new Date(begin + hour * 3_600_000).toISOString();
  const names = Array.from({ length: 25 }, (_, hour) =>
    daysName({ from: iso(hour), to: iso(hour + 1) }, 'Europe/Berlin'),
  );
  expect(new Set(names).size).toBe(25);
});
