import { countsOf, changeBetween } from '../../../../reports/report';
import {
  intervalTexts,
  periodText,
  pointsText,
  rateText,
  SHORT,
  subjectOf,
} from '../../../../reports/words/report-words';
import { intervalsOf } from '../../../../reports/period/intervals';
import { reportOf } from '../report-fixture';

const BERLIN = 'Europe/Berlin';

describe('the subject', () => {
  const subject = (failed: number, success: number, before: [number, number] | null): string => {
    const totals = countsOf(failed, success);
    const change = before === null ? null : changeBetween(countsOf(...before), totals);
    return subjectOf({ ...reportOf([]), totals, change });
  };

  test.each<[text: string, failed: number, success: number, before: [number, number] | null]>([
    ['12 of 340 webhook deliveries failed (3.5 %, +1.2 pp), 20 Nov', 12, 328, [8, 339]],
    ['1,200 of 9,000 webhook deliveries failed (13.3 %), 20 Nov', 1200, 7800, null],
    ['All 340 webhook deliveries succeeded, 20 Nov', 0, 340, [8, 339]],
    ['No webhook deliveries, 20 Nov', 0, 0, null],
    ['3 of 3 webhook deliveries failed (100.0 %), 20 Nov', 3, 0, [0, 0]],
  ])('%s', (text, failed, success, before) => {
    expect(subject(failed, success, before)).toBe(text);
  });

  test.each([
    ['At least 5 webhook deliveries failed, 20 Nov', { totals: { ...countsOf(5, 0), failureRate: null } }],
    [
      'At least 5 webhook deliveries, none failed, 20 Nov',
      { totals: { ...countsOf(0, 5), failureRate: null } },
    ],
    ['Incomplete: No webhook deliveries, 20 Nov', { complete: false }],
  ])('says what is known of a part: %s', (text, part) => {
    expect(subjectOf({ ...reportOf([]), change: null, ...part })).toBe(text);
  });
});

test.each([
  [0, '0.0 %'],
  [0.0001, '< 0.1 %'],
  [0.0352, '3.5 %'],
  [0.9999, '> 99.9 %'],
  [1, '100.0 %'],
  [null, '–'],
])('a rate of %s is %s', (rate, text) => {
  expect(rateText(rate)).toBe(text);
});

test.each([
  [0.0124, '+1.2 pp'],
  [-0.02, '-2.0 pp'],
  [0.0001, '0.0 pp'],
])('a difference of %s is %s', (difference, text) => {
  expect(pointsText(difference)).toBe(text);
});

test.each([
  ['2026-11-19T23:00', '2026-11-20T23:00', 'Friday, 20 November 2026', '20 Nov'],
  ['2026-11-13T23:00', '2026-11-20T23:00', '14 to 20 November 2026', '14 – 20 Nov'],
  ['2026-10-25T23:00', '2026-11-20T23:00', '26 October to 20 November 2026', '26 Oct – 20 Nov'],
  ['2025-12-30T23:00', '2026-01-02T23:00', '31 December 2025 to 2 January 2026', '31 Dec – 2 Jan'],
  [
    '2026-11-20T05:00',
    '2026-11-20T11:30',
    '20 November 2026, 06:00 to 20 November 2026, 12:30',
    '20 Nov, 06:00 – 20 Nov, 12:30',
  ],
  [
    '2026-10-25T00:30',
    '2026-10-25T01:30',
    '25 October 2026, 02:30 +02:00 to 25 October 2026, 02:30 +01:00',
    '25 Oct, 02:30 +02:00 – 25 Oct, 02:30 +01:00',
  ],
])('%s to %s UTC is %s, in short %s', (first, last, long, short) => {
  const period = { from: `${first}:00Z`, to: `${last}:00Z` };
  expect([periodText(period, BERLIN), periodText(period, BERLIN, SHORT)]).toEqual([long, short]);
});

test('an hour that comes twice has two names', () => {
  const period = { from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z' };
  const names = intervalTexts(intervalsOf(period, 'hour', BERLIN), 'hour', BERLIN);
  expect(names.slice(0, 5)).toEqual(['00:00', '01:00', '02:00 +02:00', '02:00 +01:00', '03:00']);
  expect(new Set(names).size).toBe(25);
});
