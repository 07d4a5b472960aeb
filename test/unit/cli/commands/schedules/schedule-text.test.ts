import { expect, test } from '@jest/globals';
import {
  lastRunText,
  nextRunText,
  reportResultText,
  scheduleSummaryText,
  scheduleText,
} from '../../../../../cli/commands/schedules/show';

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
  expect(scheduleSummaryText(SCHEDULE)).toBe(
    'morning: every day at 07:00 (Europe/Berlin), next 2026-11-26 07:00 (Europe/Berlin)',
  );
});

test.each([
  ['fires next', {}, '2026-11-26 07:00'],
  ['is paused', { paused: true }, 'paused'],
  ['never fires again', { nextTimes: [] }, 'never'],
])('a list shows when a schedule %s', (_what, change, text) => {
  expect(nextRunText({ ...SCHEDULE, ...change })).toBe(text);
});

test('a paused schedule shows no times, since it does not fire then', () => {
  const settings = { targets: [] };
  const counts = { runs: 0, skipped: 0, missed: 0, lastRuns: [], note: 'Holidays' };
  const shown = (paused: boolean): string =>
    scheduleText({ ...SCHEDULE, ...counts, paused, settings } as unknown as Parameters<
      typeof scheduleText
    >[0]);
  expect(shown(false)).toContain('\n  next: 2026-11-26 07:00 (Europe/Berlin)\n');
  expect(shown(true)).not.toContain('next');
  expect(shown(true)).toContain('\n  note: Holidays\n');
});

test('a run shows when it began in the zone of its schedule', () => {
  const run = {
    at: new Date('2026-07-01T22:30:05Z'),
    workflowId: 'w',
    runId: 'r',
    status: 'completed',
  } as const;
  expect(lastRunText(run, 'Europe/Berlin')).toBe('completed 2026-07-02 00:30:05');
  expect(lastRunText(undefined, 'Europe/Berlin')).toBe('none');
});

test('a run shows the period of its report in the zone of its schedule', () => {
  const period = { from: '2026-11-23T23:00:00.000Z', to: '2026-11-24T23:00:00.000Z' };
  const figures = { total: 83, failed: 5, late: 2, recordsRead: 5, complete: true };
  const targets = [{ target: 'file:/reports', outcome: 'delivered', reference: 'a.html' }] as const;
  const result = {
    schedule: 'morning',
    targets,
    reports: [{ ...period, ...figures }],
  } as const;
  expect(reportResultText(result, 'Europe/Berlin')).toBe(
    '2026-11-24 00:00 to 2026-11-25 00:00 (Europe/Berlin): 5 of 83 deliveries failed, 2 late\n' +
      'file:/reports: delivered (a.html)\n',
  );
});
