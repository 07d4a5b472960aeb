import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { nextWindow } from '../../../../reports/period/next-window';
import type { Cadence } from '../../../../reports/period/next-window';
import type { Window } from '../../../../reports/period/window';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** With half-hour changes, changes at midnight, a skipped day, and none at all. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Africa/Cairo',
  'Pacific/Apia',
  'Asia/Kathmandu',
];
const zone = fc.constantFrom(...ZONES);
const cadence: fc.Arbitrary<Cadence> = fc.oneof(
  fc.constantFrom({ days: 1 }, { days: 7 }, { days: 28 }),
  fc.integer({ min: 1, max: 3_000 }).map((minutes) => ({ ms: minutes * MINUTE_MS })),
);
const begin = fc.integer({
  min: Date.parse('2010-01-01T00:00:00Z'),
  max: Date.parse('2030-01-01T00:00:00Z'),
});
/** Runs, outages and pauses: some come at once, some after weeks, clocks may run back. */
const pauses = fc.array(
  fc.oneof(fc.integer({ min: -HOUR_MS, max: 2 * DAY_MS }), fc.integer({ min: 0, max: 60 * DAY_MS })),
  { minLength: 1, maxLength: 40 },
);
const lagMs = fc.integer({ min: 0, max: 2 * DAY_MS });

interface Course {
  readonly windows: Window[];
  readonly times: number[];
}

function courseOf(setting: {
  zone: string;
  cadence: Cadence;
  lagMs: number;
  begin: number;
  pauses: readonly number[];
}): Course {
  const { begin: first, pauses: gaps, ...schedule } = setting;
  const windows: Window[] = [];
  const times: number[] = [];
  let now = first;
  for (const gap of [0, ...gaps]) {
    now += gap;
    const window = nextWindow({ ...schedule, now, deliveredTo: windows.at(-1)?.to });
    if (window === undefined) continue;
    windows.push(window);
    times.push(now);
  }
  return { windows, times };
}

const setting = fc.record({ zone, cadence, lagMs, begin, pauses });

describe('windows of a scheduled report', () => {
  it('follow each other without gap or overlap whenever the schedule runs', () => {
    fc.assert(
      fc.property(setting, (given) => {
        const { windows } = courseOf(given);
        expect(windows.slice(1).map(({ from }) => from)).toEqual(windows.slice(0, -1).map(({ to }) => to));
        for (const { from, to } of windows) expect(Date.parse(from)).toBeLessThan(Date.parse(to));
      }),
    );
  });

  it('end no later than now minus the lag, and leave out less than a day or a minute', () => {
    fc.assert(
      fc.property(setting, (given) => {
        const { windows, times } = courseOf(given);
        for (const [index, { to }] of windows.entries()) {
          const left = (times[index] ?? 0) - given.lagMs - Date.parse(to);
          expect(left).toBeGreaterThanOrEqual(0);
          // The longest day of these zones has 25 hours.
          expect(left).toBeLessThan('days' in given.cadence ? 25 * HOUR_MS : MINUTE_MS);
        }
      }),
    );
  });

  it('begin and end with days of the zone where the cadence is whole days, also where clocks change', () => {
    fc.assert(
      fc.property(setting, fc.constantFrom({ days: 1 }, { days: 7 }), (given, days) => {
        for (const { from, to } of courseOf({ ...given, cadence: days }).windows) {
          for (const iso of [from, to]) {
            const moment = DateTime.fromISO(iso, { zone: given.zone });
            expect(moment.toMillis()).toBe(moment.startOf('day').toMillis());
          }
        }
      }),
    );
  });

  it.each([
    [
      'a day of 23 hours',
      'Europe/Berlin',
      '2026-03-30T05:00:00Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      'a day of 25 hours',
      'Europe/Berlin',
      '2026-10-26T06:00:00Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ],
    [
      'the whole day before one without a midnight',
      'America/Santiago',
      '2026-09-06T10:00:00Z',
      '2026-09-05T04:00:00.000Z',
      '2026-09-06T04:00:00.000Z',
    ],
    [
      'a day without a midnight',
      'America/Santiago',
      '2026-09-07T10:00:00Z',
      '2026-09-06T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
    ],
    [
      'the day after one that was skipped',
      'Pacific/Apia',
      '2011-12-31T05:00:00Z',
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
    ],
  ])('the first one covers %s', (_name, of, now, from, to) => {
    const request = { now: Date.parse(now), lagMs: 0, zone: of, cadence: { days: 1 } };
    expect(nextWindow(request)).toEqual({ from, to });
  });

  it('is one window after an outage of days', () => {
    const request = { zone: 'Europe/Berlin', cadence: { days: 1 }, lagMs: 10 * MINUTE_MS };
    expect(
      nextWindow({
        ...request,
        deliveredTo: '2026-11-10T23:00:00.000Z',
        now: Date.parse('2026-11-21T06:00:00Z'),
      }),
    ).toEqual({ from: '2026-11-10T23:00:00.000Z', to: '2026-11-20T23:00:00.000Z' });
  });

  it('is none where the last midnight was delivered, and none where the lag reaches over it', () => {
    const request = { zone: 'UTC', cadence: { days: 1 }, deliveredTo: '2026-11-20T00:00:00.000Z' };
    expect(nextWindow({ ...request, lagMs: 0, now: Date.parse('2026-11-20T23:59:59Z') })).toBeUndefined();
    expect(
      nextWindow({ ...request, lagMs: HOUR_MS, now: Date.parse('2026-11-21T00:59:59Z') }),
    ).toBeUndefined();
    expect(nextWindow({ ...request, lagMs: HOUR_MS, now: Date.parse('2026-11-21T01:00:00Z') })?.to).toBe(
      '2026-11-21T00:00:00.000Z',
    );
  });
});
