import { expect, test } from '@jest/globals';
import { daysName } from '../../../../reports/period/period';

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
