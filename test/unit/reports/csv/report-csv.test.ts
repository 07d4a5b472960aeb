import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { renderCsv } from '../../../../reports/csv/report-csv';
import { reportOf } from '../report-fixture';

const sentAt = '2026-11-20T10:00:00.000Z';
const failedOf = (...mediaIds: string[]): ReturnType<typeof reportOf> =>
  reportOf(mediaIds.map((mediaId) => ({ sentAt, status: 'FAILED', mediaId })));

const read = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

test('the CSV reads back as it was: any text, every figure', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (ids) => {
      // A blank ID counts as missing.
      const report = failedOf(...ids.map((id) => `m${id}m`));
      const rows = read(renderCsv(report));
      const media = rows.filter(({ section }) => section === 'media');
      const expected = (report.media?.rows ?? []).map(({ id, failed }) => [id, failed]);
      expect(media.map(({ name, failed }) => [name, Number(failed)])).toEqual([...expected, ['(others)', 0]]);
    }),
    { numRuns: 40 },
  );
});

test('the CSV holds the total, the period before, each interval and each group, one line each', () => {
  const rows = read(renderCsv(failedOf('m-1')));
  expect(rows.filter(({ section }) => section === 'interval')).toHaveLength(24);
  expect(rows.find(({ section }) => section === 'total')).toEqual({
    section: 'total',
    name: '',
    from: '2026-11-19T23:00:00.000Z',
    to: '2026-11-20T23:00:00.000Z',
    total: '1',
    failed: '1',
    success: '0',
    failureRate: '1',
  });
  expect(rows.find(({ section }) => section === 'before')).toMatchObject({
    total: '200',
    failureRate: '0.025',
  });
});

describe('the row of everything else', () => {
  const of = (others: { failed: number; success: number | null }, complete = true): unknown => {
    const report = failedOf('m-1');
    const media = report.media === null ? null : { ...report.media, others };
    const rows = read(renderCsv({ ...report, media, complete }));
    return rows.find(({ section, name }) => section === 'media' && name === '(others)');
  };

  const counted = { failed: 1, success: 3 };
  const none = { failed: 0, success: 0 };
  test.each([
    ['contains its failure rate', counted, true, { total: '4', failureRate: '0.25' }],
    ['has no failure rate if it counts nothing', none, true, { total: '0', failureRate: '' }],
    [
      'has no failure rate if successes are not reported',
      { failed: 1, success: null },
      true,
      { total: '', failureRate: '' },
    ],
    ['has no failure rate if not all records were read', counted, false, { failed: '1', failureRate: '' }],
  ])('%s', (_how, others, complete, expected) => {
    expect(of(others, complete)).toMatchObject(expected);
  });
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x")'])(
  'a text that a spreadsheet would take for a formula gets an apostrophe: %s',
  (id) => {
    const names = read(renderCsv(failedOf(id))).map(({ name }) => name);
    expect(names).toContain(`'${id}`);
  },
);

test('the byte order mark is written unless the options turn it off', () => {
  expect(renderCsv(failedOf('m'))).toMatch(/^\uFEFFsection,/);
  expect(renderCsv(failedOf('m'), { byteOrderMark: false })).toMatch(/^section,/);
});
