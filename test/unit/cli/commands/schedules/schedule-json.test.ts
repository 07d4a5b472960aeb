import { expect, test } from '@jest/globals';
import { scheduleJson } from '../../../../../cli/commands/schedules/show';

const NEXT = new Date('2026-11-26T06:00:00Z');
const SCHEDULE = {
  id: 'morning',
  scheduleId: 'report/acme-1/morning',
  accountId: 'acme-1',
  paused: false,
  nextTimes: [NEXT],
  lastRuns: [],
  input: {
    schedule: { times: 'every day at 07:00', zone: 'Europe/Berlin', targets: [{ key: 'file:/reports' }] },
  },
} as unknown as Parameters<typeof scheduleJson>[0];

test('JSON has the moments themselves, in UTC', () => {
  expect(JSON.parse(JSON.stringify(scheduleJson(SCHEDULE)))).toMatchObject({
    nextTimes: ['2026-11-26T06:00:00.000Z'],
    targets: ['file:/reports'],
  });
});
