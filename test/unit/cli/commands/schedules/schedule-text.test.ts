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
  paused: false,
  nextTimes: [NEXT],
  lastRuns: [],
  input: { schedule: { times: 'every day at 07:00', zone: 'Europe/Berlin', targets: [] } },
};
const shown = (change: object = {}): Parameters<typeof scheduleText>[0] =>
  ({ ...SCHEDULE, ...change }) as unknown as Parameters<typeof scheduleText>[0];

test('a line names the next firing in the zone of the schedule', () => {
  expect(scheduleSummaryText(shown())).toBe(
    'morning: every day at 07:00 (Europe/Berlin), next 2026-11-26 07:00 (Europe/Berlin)',
  );
});

test.each([
  ['fires next', {}, '2026-11-26 07:00'],
  ['is paused', { paused: true }, 'paused'],
  ['never fires again', { nextTimes: [] }, 'never'],
])('a list shows when a schedule %s', (_what, change, text) => {
  expect(nextRunText(shown(change))).toBe(text);
});

test('a paused schedule shows no times, since it does not fire then', () => {
  const counts = { runs: 0, skipped: 0, missed: 0, note: 'Holidays' };
  const [fires, paused] = [false, true].map((isPaused) =>
    scheduleText(shown({ ...counts, paused: isPaused })),
  );
  expect(fires).toContain('\n  next: 2026-11-26 07:00 (Europe/Berlin)\n');
  expect(paused).not.toContain('next');
  expect(paused).toContain('\n  note: Holidays\n');
});

test('a run shows when it began in the zone of its schedule', () => {
  const run = { at: new Date('2026-07-01T22:30:05Z'), status: 'completed' };
  expect(lastRunText(shown({ lastRuns: [run] }))).toBe('completed 2026-07-02 00:30:05');
  expect(lastRunText(shown())).toBe('none');
});

test('a run shows the period of its report in the zone of its schedule', () => {
  const period = { from: '2026-11-23T23:00:00.000Z', to: '2026-11-24T23:00:00.000Z' };
  const figures = { total: 83, failed: 5, recordsRead: 5, complete: true };
  const targets = [{ target: 'file:/reports', outcome: 'delivered', reference: 'a.html' }] as const;
  const result = {
    schedule: 'morning',
    targets,
    reports: [{ ...period, ...figures }],
  } as const;
  expect(reportResultText(result, 'Europe/Berlin')).toBe(
    'Tuesday, 24 November 2026 (Europe/Berlin): 5 of 83 deliveries failed\n' +
      'file:/reports: delivered (a.html)\n',
  );
});
