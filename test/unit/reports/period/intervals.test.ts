import fc from 'fast-check';
import { INTERVALS, MAX_INTERVALS, intervalFor, intervalsOf } from '../../../../reports/period/intervals';
import type { Interval } from '../../../../reports/period/intervals';
import { ZONES } from '../report-fixture';

const DAY_MS = 86_400_000;
const YEAR_2011 = Date.parse('2011-01-01T00:00:00Z');

const periods = fc.record({
  zone: fc.constantFrom(...ZONES),
  interval: fc.constantFrom<Interval>(...INTERVALS),
  from: fc.integer({ min: YEAR_2011, max: YEAR_2011 + 16 * 365 * DAY_MS }),
  length: fc.integer({ min: 1, max: 8 * DAY_MS }),
});

test('the intervals cover the period without gap or overlap, whatever the zone does with its clocks', () => {
  fc.assert(
    fc.property(periods, ({ zone, interval, from, length }) => {
      const period = { from: new Date(from).toISOString(), to: new Date(from + length).toISOString() };
      const pieces = intervalsOf(period, interval, zone);
      expect(pieces[0]?.from).toBe(period.from);
      expect(pieces.at(-1)?.to).toBe(period.to);
      pieces.forEach((piece, index) => {
        expect(Date.parse(piece.to)).toBeGreaterThan(Date.parse(piece.from));
        if (index > 0) expect(piece.from).toBe(pieces[index - 1]?.to);
      });
    }),
  );
});

const hoursOf = ({ from, to }: { from: string; to: string }): number =>
  (Date.parse(to) - Date.parse(from)) / 3_600_000;

test.each([
  { what: 'forward', from: '2026-03-27T23:00:00.000Z', to: '2026-03-30T22:00:00.000Z', hours: [24, 23, 24] },
  { what: 'back', from: '2026-10-23T22:00:00.000Z', to: '2026-10-26T23:00:00.000Z', hours: [24, 25, 24] },
])('the day on which clocks go $what has the right number of hours', ({ from, to, hours }) => {
  expect(intervalsOf({ from, to }, 'day', 'Europe/Berlin').map(hoursOf)).toEqual(hours);
  const byHour = intervalsOf({ from, to }, 'hour', 'Europe/Berlin');
  expect(byHour).toHaveLength(hours.reduce((sum, each) => sum + each));
  expect(new Set(byHour.map(hoursOf))).toEqual(new Set([1]));
});

test('weeks begin on Monday, and the first and last are cut to the period', () => {
  const period = { from: '2026-11-05T00:00:00.000Z', to: '2026-11-18T12:00:00.000Z' };
  expect(intervalsOf(period, 'week', 'UTC').map(({ from }) => from)).toEqual([
    '2026-11-05T00:00:00.000Z',
    '2026-11-09T00:00:00.000Z',
    '2026-11-16T00:00:00.000Z',
  ]);
});

test.each([
  [1, 'hour'],
  [2, 'hour'],
  [7, 'day'],
  [31, 'day'],
  [90, 'week'],
])('%i days are counted by %s by default', (days, interval) => {
  const from = new Date(YEAR_2011).toISOString();
  expect(intervalFor({ from, to: new Date(YEAR_2011 + days * DAY_MS).toISOString() })).toBe(interval);
});

test(`${MAX_INTERVALS} intervals are the maximum: one more is refused, with what helps`, () => {
  const hours = (count: number): ReturnType<typeof intervalsOf> => {
    const period = {
      from: new Date(YEAR_2011).toISOString(),
      to: new Date(YEAR_2011 + count * 3_600_000).toISOString(),
    };
    return intervalsOf(period, 'hour', 'UTC');
  };
  expect(hours(MAX_INTERVALS)).toHaveLength(MAX_INTERVALS);
  const facts = expect.objectContaining({ hint: 'Use a wider interval or a shorter range.' });
  expect(() => hours(MAX_INTERVALS + 1)).toThrow(expect.objectContaining({ code: 'Validation', facts }));
});
