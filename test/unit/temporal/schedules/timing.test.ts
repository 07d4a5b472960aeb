import { describe, expect, it } from '@jest/globals';
import { ValidationError } from '../../../../api/errors';
import { changedTiming, timingOf } from '../../../../temporal/schedules/timing';
import type { TimingWish } from '../../../../temporal/contract/failure-report';

const NOW = Date.parse('2026-11-21T06:00:00Z');
const of = (wish: TimingWish): ReturnType<typeof timingOf> => timingOf(wish, 'Europe/Berlin', NOW);

describe('when a schedule fires', () => {
  it.each<[string, TimingWish, object]>([
    [
      'nothing said',
      {},
      { spec: { calendars: [{ hour: 7, minute: 0 }] }, cadence: { days: 1 }, words: 'every day at 07:00' },
    ],
    ['a time', { every: '1d', at: '6:30' }, { cadence: { days: 1 }, words: 'every day at 06:30' }],
    [
      'a weekday',
      { every: '1w', on: 'FRIDAY' },
      {
        spec: { calendars: [{ hour: 7, minute: 0, dayOfWeek: 'FRIDAY' }] },
        cadence: { days: 7 },
        words: 'every Friday at 07:00',
      },
    ],
    ['hours', { every: '6h' }, { spec: { intervals: [{ every: 21_600_000 }] }, cadence: { ms: 21_600_000 } }],
    ['minutes', { every: '30m' }, { cadence: { ms: 1_800_000 }, words: 'every 30 min' }],
    [
      'a cron of weekdays',
      { cron: '0 7 * * 1-5' },
      { spec: { cronExpressions: ['0 7 * * 1-5'] }, cadence: { days: 1 } },
    ],
    ['a cron of months', { cron: '0 7 1 * *' }, { cadence: { days: 28 } }],
    ['a cron of hours', { cron: '15  */4 * * *' }, { spec: { cronExpressions: ['15 */4 * * *'] } }],
    // Day of month and day of week have to fit both; of the next ones 13 April and 13 July 2029 are nearest.
    ['a cron of Fridays that are the 13th', { cron: '0 7 13 * 5' }, { cadence: { days: 91 } }],
    ['a cron of a leap day', { cron: '0 7 29 2 *' }, { cadence: { days: 1461 } }],
  ])('is read from %s', async (_name, wish, expected) => {
    expect(await of(wish)).toMatchObject(expected);
  });

  it.each<[string, TimingWish, string, RegExp]>([
    ['30 February', { cron: '0 7 30 2 *' }, 'cron', /never fires/],
    ['a cron of words', { cron: 'every morning at seven o clock' }, 'cron', /no cron/],
    ['six fields', { cron: '0 0 7 * * *' }, 'cron', /no cron/],
    ['a zone in the cron', { cron: 'CRON_TZ=UTC 0 7 * * *' }, 'cron', /no cron/],
    ['an hour that is none', { cron: '0 25 * * *' }, 'cron', /no cron/],
    ['both', { cron: '0 7 * * *', every: '1d' }, 'every', /exclude each other/],
    ['two days', { every: '2d' }, 'every', /no time between/],
    ['nothing', { every: '0h' }, 'every', /no time between/],
    ['seconds', { every: '30s' }, 'every', /no time between/],
    ['a time without days', { every: '6h', at: '07:00' }, 'at', /goes with/],
    ['a time that is none', { at: '7 o’clock' }, 'at', /no time of day/],
    ['24:00', { at: '24:00' }, 'at', /no time of day/],
    ['a weekday of days', { every: '1d', on: 'MONDAY' }, 'on', /goes with/],
  ])('is refused for %s', async (_name, wish, field, message) => {
    const error: unknown = await of(wish).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      facts: { field, hint: expect.any(String) },
    });
  });
});

describe('changed times', () => {
  it.each<[string, TimingWish, TimingWish, TimingWish]>([
    [
      'another time of day',
      { every: '1w', on: 'FRIDAY' },
      { at: '08:00' },
      { every: '1w', on: 'FRIDAY', at: '08:00' },
    ],
    ['weeks in place of days', { every: '1d', at: '06:30' }, { every: '1w' }, { every: '1w', at: '06:30' }],
    [
      'days in place of weeks',
      { every: '1w', at: '06:30', on: 'FRIDAY' },
      { every: '1d' },
      { every: '1d', at: '06:30' },
    ],
    ['hours in place of days', { every: '1d', at: '06:30' }, { every: '6h' }, { every: '6h' }],
    [
      'a cron in place of days',
      { every: '1d', at: '06:30' },
      { cron: '0 7 * * 1-5' },
      { cron: '0 7 * * 1-5' },
    ],
    ['days in place of a cron', { cron: '0 7 * * 1-5' }, { every: '1d' }, { every: '1d' }],
    ['nothing', { cron: '0 7 * * 1-5' }, {}, { cron: '0 7 * * 1-5' }],
  ])('are right for %s', (_name, current, change, expected) => {
    expect(changedTiming(current, change)).toEqual(expected);
  });
});
