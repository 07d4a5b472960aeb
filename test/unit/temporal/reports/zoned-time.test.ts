import { expect, test } from '@jest/globals';
import { localTime, zonedPeriod, zonedTime } from '../../../../temporal/reports/zoned-time';

test('a time follows the summer time of its zone, and midnight is 00:00', () => {
  expect(localTime(new Date('2026-07-01T05:00:00Z'), 'Europe/Berlin')).toBe('2026-07-01 07:00');
  expect(localTime(new Date('2026-11-25T23:00:00Z'), 'Europe/Berlin')).toBe('2026-11-26 00:00');
  expect(zonedTime(new Date('2026-11-26T06:00:00Z'), 'America/New_York')).toBe(
    '2026-11-26 01:00 (America/New_York)',
  );
});

test('a period names its zone once', () => {
  const period = { from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z' };
  expect(zonedPeriod(period, 'Europe/Berlin')).toBe('2026-10-25 00:00 to 2026-10-26 00:00 (Europe/Berlin)');
});

test('a period of the hour that clocks repeat names both offsets', () => {
  const period = { from: '2026-10-25T00:30:00.000Z', to: '2026-10-25T01:30:00.000Z' };
  expect(zonedPeriod(period, 'Europe/Berlin')).toBe(
    '2026-10-25 02:30 GMT+02:00 to 2026-10-25 02:30 GMT+01:00 (Europe/Berlin)',
  );
});
