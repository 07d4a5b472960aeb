import { expect, test } from '@jest/globals';
import { lastText, nextText, scheduleJson, scheduleLine } from '../../../../cli/schedules/schedule-text';
import { localTime, zonedTime } from '../../../../cli/schedules/zoned-time';

const NEXT = new Date('2026-11-26T06:00:00Z');
const SCHEDULE = {
  id: 'morning',
  scheduleId: 'report/acme-1/morning',
  accountId: 'acme-1',
  times: 'every day at 07:00',
  zone: 'Europe/Berlin',
  targets: ['file:/reports'],
  paused: false,
  nextTimes: [NEXT],
};

test('a line names the next firing in the zone of the schedule', () => {
  expect(scheduleLine(SCHEDULE)).toBe(
    'morning: every day at 07:00 (Europe/Berlin), next 2026-11-26 07:00 (Europe/Berlin)',
  );
});

test.each([
  ['fires next', {}, '2026-11-26 07:00'],
  ['is paused', { paused: true }, 'paused'],
  ['never fires again', { nextTimes: [] }, 'never'],
])('a list shows when a schedule %s', (_what, change, text) => {
  expect(nextText({ ...SCHEDULE, ...change })).toBe(text);
});

test('a run shows when it began in the zone of its schedule', () => {
  const run = { at: new Date('2026-07-01T22:30:05Z'), workflowId: 'w', status: 'completed' } as const;
  expect(lastText(run, 'Europe/Berlin')).toBe('completed 2026-07-02 00:30:05');
  expect(lastText(undefined, 'Europe/Berlin')).toBe('none');
});

test('JSON has the moments themselves, in UTC', () => {
  expect(JSON.parse(JSON.stringify(scheduleJson(SCHEDULE)))).toMatchObject({
    nextTimes: ['2026-11-26T06:00:00.000Z'],
  });
});

test('a time follows the summer time of its zone, and midnight is 00:00', () => {
  expect(localTime(new Date('2026-07-01T05:00:00Z'), 'Europe/Berlin')).toBe('2026-07-01 07:00');
  expect(localTime(new Date('2026-11-25T23:00:00Z'), 'Europe/Berlin')).toBe('2026-11-26 00:00');
  expect(zonedTime(NEXT, 'America/New_York')).toBe('2026-11-26 01:00 (America/New_York)');
});
