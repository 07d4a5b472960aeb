import { expect, test } from '@jest/globals';
import { reportDetails } from '../../../../temporal/reports/workflow';

test('the period of a report is shown in the zone of its schedule', () => {
  const figures = [
    {
      from: '2026-11-24T05:00:00.000Z',
      to: '2026-11-25T05:00:00.000Z',
      total: 83,
      failed: 5,
      late: null,
      recordsRead: 83,
      complete: true,
      notices: [],
    },
  ];
  const results = [{ target: 'file:/srv/reports@vm', outcome: 'delivered' } as const];
  expect(reportDetails('America/New_York', { figures, results, failures: [] })).toBe(
    '**2026-11-24 00:00 to 2026-11-25 00:00 (America/New_York)**: 5 of 83 failed\n\n' +
      '- file:/srv/reports@vm: delivered',
  );
});
