import fc from 'fast-check';
import { DateTime } from 'luxon';
import { nextPeriod, type ReportInterval } from '../../../../reports/period/period';
import type { Period } from '../../../../reports/period/period';
import { ZONES } from '../report-fixture';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const zone = fc.constantFrom(...ZONES);
const interval: fc.Arbitrary<ReportInterval> = fc.oneof(
  fc.constantFrom({ days: 1 }, { days: 7 }, { days: 28 }),
  fc.integer({ min: 1, max: 3_000 }).map((minutes) => ({ ms: minutes * MINUTE_MS })),
);
const begin = fc.integer({
  min: Date.parse('2010-01-01T00:00:00Z'),
  max: Date.parse('2030-01-01T00:00:00Z'),
});
/** Runs, outages and pauses: some follow at once, some after weeks, and clocks may go back. */
const pauses = fc.array(
  fc.oneof(fc.integer({ min: -HOUR_MS, max: 2 * DAY_MS }), fc.integer({ min: 0, max: 60 * DAY_MS })),
  { minLength: 1, maxLength: 40 },
);
const lagMs = fc.integer({ min: 0, max: 2 * DAY_MS });

const setting = fc.record({ zone, interval, lagMs, begin, pauses });
type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

function runsOf({ begin: first, pauses: gaps, ...schedule }: Setting) {
  const periods: Period[] = [];
  const times: number[] = [];
  let now = first;
  for (const gap of [0, ...gaps]) {
    now += gap;
    const period = nextPeriod({ ...schedule, now, deliveredTo: periods.at(-1)?.to });
    if (period === undefined) continue;
    periods.push(period);
    times.push(now);
  }
  return { periods, times };
}

describe('the periods of a scheduled report', () => {
  it('follow each other without gap or overlap, as whole days if the schedule is of days, up to now minus the lag', () => {
    fc.assert(
      fc.property(setting, (given) => {
        const isOfDays = 'days' in given.interval;
        const { periods, times } = runsOf(given);
        expect(periods.slice(1).map(({ from }) => from)).toEqual(periods.slice(0, -1).map(({ to }) => to));
        for (const [index, { from, to }] of periods.entries()) {
          expect(Date.parse(from)).toBeLessThan(Date.parse(to));
          const left = (times[index] ?? 0) - given.lagMs - Date.parse(to);
          expect(left).toBeGreaterThanOrEqual(0);
          // The longest day of these zones has 25 hours.
          expect(left).toBeLessThan(isOfDays ? 25 * HOUR_MS : MINUTE_MS);
          for (const iso of isOfDays ? [from, to] : []) {
            const moment = DateTime.fromISO(iso, { zone: given.zone });
            expect(moment.toMillis()).toBe(moment.startOf('day').toMillis());
          }
        }
      }),
    );
  });

  const [BERLIN, SANTIAGO] = ['Europe/Berlin', 'America/Santiago'];
  it.each([
    ['a day of 23 hours', BERLIN, '2026-03-30T05', '2026-03-28T23', '2026-03-29T22'],
    ['a day of 25 hours', BERLIN, '2026-10-26T06', '2026-10-24T22', '2026-10-25T23'],
    [
      'the whole day before one without a midnight',
      SANTIAGO,
      '2026-09-06T10',
      '2026-09-05T04',
      '2026-09-06T04',
    ],
    ['a day without a midnight', SANTIAGO, '2026-09-07T10', '2026-09-06T04', '2026-09-07T03'],
    ['the day after one that was skipped', 'Pacific/Apia', '2011-12-31T05', '2011-12-29T10', '2011-12-30T10'],
  ])('begin with %s', (_name, of, now, from, to) => {
    const hour = (text: string): string => `${text}:00:00.000Z`;
    const request = { now: Date.parse(hour(now)), lagMs: 0, zone: of, interval: { days: 1 } };
    expect(nextPeriod(request)).toEqual({ from: hour(from), to: hour(to) });
  });

  it('stop if the last midnight was already reported, or if the lag reaches over it', () => {
    const request = { zone: 'UTC', interval: { days: 1 }, deliveredTo: '2026-11-20T00:00:00.000Z' };
    const endAt = (time: string, lag: number): string | undefined =>
      nextPeriod({ ...request, lagMs: lag, now: Date.parse(`2026-11-${time}Z`) })?.to;
    expect(endAt('20T23:59:59', 0)).toBeUndefined();
    expect(endAt('21T00:59:59', HOUR_MS)).toBeUndefined();
    expect(endAt('21T01:00:00', HOUR_MS)).toBe('2026-11-21T00:00:00.000Z');
  });
});
