import { describe, expect, it } from '@jest/globals';
import { checkZone } from '../../../../temporal/schedules/time-zone';

describe('a time zone', () => {
  it.each(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', ' Asia/Kathmandu '])(
    '%s is accepted',
    (zone) => {
      expect(checkZone(zone)).toBe(zone.trim());
    },
  );

  it.each([
    ['Berlin', 'Did you mean Europe/Berlin?'],
    ['Europe/Berln', 'Did you mean Europe/Berlin?'],
    ['europe berlin', 'Did you mean Europe/Berlin?'],
    ['New York', 'Did you mean America/New_York?'],
    ['+02:00', 'Write it as Europe/Berlin, America/New_York or UTC.'],
    ['Mars', 'Write it as Europe/Berlin, America/New_York or UTC.'],
    ['Middle/Earth', 'Write it as Europe/Berlin, America/New_York or UTC.'],
    ['', 'Write it as Europe/Berlin, America/New_York or UTC.'],
  ])('"%s" is refused: %s', (zone, hint) => {
    expect(() => checkZone(zone)).toThrow(
      expect.objectContaining({
        code: 'Validation',
        facts: expect.objectContaining({ field: 'timezone', hint }),
      }),
    );
  });
});
