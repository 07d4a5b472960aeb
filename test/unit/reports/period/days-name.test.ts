import { expect, test } from '@jest/globals';
import { daysName } from '../../../../reports/period/days-name';

test.each([
  ['one day of the zone', '2026-11-20T23:00:00Z', '2026-11-21T23:00:00Z', '2026-11-21'],
  ['an hour of one day', '2026-11-21T08:00:00Z', '2026-11-21T09:00:00Z', '2026-11-21'],
  ['a week', '2026-11-13T23:00:00Z', '2026-11-20T23:00:00Z', '2026-11-14-to-2026-11-20'],
  ['24 hours over two days', '2026-11-20T12:00:00Z', '2026-11-21T12:00:00Z', '2026-11-20-to-2026-11-21'],
])('%s is named by its local days', (_what, from, to, name) => {
  expect(daysName({ from, to }, 'Europe/Berlin')).toBe(name);
});
