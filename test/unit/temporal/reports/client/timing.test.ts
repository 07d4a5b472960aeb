import { checkZone, timingOf } from '../../../../../temporal/reports/client/timing';
import type { TimingRequest } from '../../../../../temporal/reports/client/timing';

const NOW = Date.parse('2026-11-21T06:00:00Z');
const of = (request: TimingRequest): ReturnType<typeof timingOf> => timingOf(request, 'Europe/Berlin', NOW);

describe('the times of a schedule', () => {
  it.each<[string, TimingRequest, object]>([
    ['nothing said', {}, { cron: '0 7 * * *', interval: { days: 1 }, times: 'every day at 07:00' }],
    ['a time', { at: '6:30' }, { interval: { days: 1 }, times: 'every day at 06:30' }],
    ['a cron of weekdays', { cron: '0 7 * * 1-5' }, { cron: '0 7 * * 1-5', interval: { days: 1 } }],
    ['a cron of months', { cron: '0 7 1 * *' }, { interval: { days: 28 } }],
    ['a cron of hours', { cron: '15  */4 * * *' }, { cron: '15 */4 * * *' }],
    // Day of month and day of week must both match. Of the next dates, 13 April and 13 July 2029 are nearest.
    ['a cron of Fridays that are the 13th', { cron: '0 7 13 * 5' }, { interval: { days: 91 } }],
    ['a cron of a leap day', { cron: '0 7 29 2 *' }, { interval: { days: 1461 } }],
  ])('can be read from %s', async (_name, request, expected) => {
    expect(await of(request)).toMatchObject(expected);
  });

  it.each<[string, TimingRequest, string, RegExp]>([
    ['30 February', { cron: '0 7 30 2 *' }, 'cron', /never fires/],
    ['a cron of words', { cron: 'every morning at seven o clock' }, 'cron', /not a cron/],
    ['six fields', { cron: '0 0 7 * * *' }, 'cron', /not a cron/],
    ['a zone in the cron', { cron: 'CRON_TZ=UTC 0 7 * * *' }, 'cron', /not a cron/],
    ['an impossible hour', { cron: '0 25 * * *' }, 'cron', /not a cron/],
    ['both', { cron: '0 7 * * *', at: '07:00' }, 'at', /can't be combined with a cron/],
    ['an impossible time', { at: "7 o'clock" }, 'at', /not a time of day/],
    ['24:00', { at: '24:00' }, 'at', /not a time of day/],
  ])('are refused for %s', async (_name, request, field, message) => {
    await expect(of(request)).rejects.toMatchObject({
      code: 'Validation',
      message: expect.stringMatching(message),
      facts: { field, hint: expect.any(String) },
    });
  });
});

describe('a time zone', () => {
  it.each(['Europe/Berlin', 'UTC', ' Asia/Kathmandu '])('%s is accepted', (zone) => {
    expect(checkZone(zone)).toBe(zone.trim());
  });

  it.each(['Berlin', '+02:00', 'Mars', ''])('"%s" is refused, with examples', (zone) => {
    const hint = 'Write it as Europe/Berlin, America/New_York or UTC.';
    const facts = expect.objectContaining({ field: 'timezone', hint });
    expect(() => checkZone(zone)).toThrow(expect.objectContaining({ code: 'Validation', facts }));
  });
});
