import fc from 'fast-check';
import { ValidationError } from '../../../api/errors';
import { parseWhen } from '../../../api/when';

const now = Date.parse('2026-11-01T12:34:56.789Z');

test.each([
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01 07:00', '2026-11-01T07:00:00.000Z'],
  ['2026-11-01T07:00:01.5', '2026-11-01T07:00:01.500Z'],
  ['2026-11-01T07:00:00Z', '2026-11-01T07:00:00.000Z'],
  ['2026-11-01t07:00z', '2026-11-01T07:00:00.000Z'],
  ['2026-11-01T07:00:00+01:00', '2026-11-01T06:00:00.000Z'],
  ['2026-11-01 07:00 -0530', '2026-11-01T12:30:00.000Z'],
  ['2026-11-01T07:00:00+14', '2026-10-31T17:00:00.000Z'],
  ['now', '2026-11-01T12:34:56.789Z'],
  ['today', '2026-11-01T00:00:00.000Z'],
  ['Yesterday', '2026-10-31T00:00:00.000Z'],
  ['-24h', '2026-10-31T12:34:56.789Z'],
  ['-90m', '2026-11-01T11:04:56.789Z'],
  ['-7d', '2026-10-25T12:34:56.789Z'],
  ['-2w', '2026-10-18T12:34:56.789Z'],
  ['  -24H ', '2026-10-31T12:34:56.789Z'],
])('%j is %s', (text, iso) => {
  expect(parseWhen(text, { now })).toBe(iso);
});

describe('in another time zone', () => {
  test.each([
    ['2026-11-01', 'Europe/Berlin', '2026-10-31T23:00:00.000Z'],
    ['2026-07-01 07:00', 'Europe/Berlin', '2026-07-01T05:00:00.000Z'],
    ['2026-11-01T07:00:00+01:00', 'America/New_York', '2026-11-01T06:00:00.000Z'],
    ['today', 'Asia/Tokyo', '2026-10-31T15:00:00.000Z'],
  ])('%j in %s is %s', (text, zone, iso) => {
    expect(parseWhen(text, { now, zone })).toBe(iso);
  });

  test('a day on which the clock is set back has 25 hours', () => {
    const zone = 'Europe/Berlin';
    const noonAfter = Date.parse('2026-10-25T11:00:00Z');
    expect(parseWhen('-1d', { now: noonAfter, zone })).toBe('2026-10-24T10:00:00.000Z');
    expect(parseWhen('-24h', { now: noonAfter, zone })).toBe('2026-10-24T11:00:00.000Z');
  });
});

test.each([
  ...['', ' ', 'soon', '2026', '2026-11', '20261101', '2026-13-01', '2026-02-30', '2026-11-01T25:00'],
  ...['2026-11-01T07:00+25:00', '2026-11-01Z', '01.11.2026', '11/01/2026', '24h', '+24h', '-24', '-1y'],
  ...['-999999w', '-h', '1761998096', 'null', '2026-W44'],
])('%j is refused with examples', (text) => {
  const parse = (): string => parseWhen(text, { now, field: 'from' });
  expect(parse).toThrow(ValidationError);
  expect(parse).toThrow(`from isn't a valid date: "${text}"`);
});

test('an unknown zone is refused by its own field', () => {
  expect(() => parseWhen('today', { now, zone: 'Mars/Olympus' })).toThrow(
    '"Mars/Olympus" is not a time zone',
  );
});

test('any time in any offset is read as that time, and reading the result again changes nothing', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1971-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
      fc.constantFrom('T', ' '),
      (date, offset, between) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const sign = offset < 0 ? '-' : '+';
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const zone = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        const iso = parseWhen(`${local.replace('T', between)}${zone}`, { now, zone: 'Asia/Tokyo' });
        expect(iso).toBe(date.toISOString());
        expect(parseWhen(iso, { now, zone: 'America/New_York' })).toBe(iso);
      },
    ),
  );
});

test('yesterday is complete even if clocks skipped midnight', () => {
  const now = Date.parse('2026-09-06T15:00:00Z');
  expect(parseWhen('yesterday', { now, zone: 'America/Santiago' })).toBe('2026-09-05T04:00:00.000Z');
});
