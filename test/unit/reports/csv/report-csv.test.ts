import { parse } from 'csv-parse/sync';
import { renderCsv } from '../../../../reports/csv/report-csv';
import { reportOf } from '../report-fixture';

const sentAt = '2026-11-20T10:00:00.000Z';
const failedOf = (...mediaIds: string[]): ReturnType<typeof reportOf> =>
  reportOf(mediaIds.map((mediaId) => ({ sentAt, status: 'FAILED', mediaId })));

const read = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

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

test.each([
  [
    { failed: 1, success: 3, failureRate: 0.25 },
    { total: '4', failed: '1', failureRate: '0.25' },
  ],
  [
    { failed: 1, success: null, failureRate: null },
    { total: '', failed: '1', failureRate: '' },
  ],
])('the row of everything else than the media shown has %j', (others, cells) => {
  const report = failedOf('m-1');
  const media = report.media && { ...report.media, others };
  const rows = read(renderCsv({ ...report, media }));
  expect(rows.find(({ section, name }) => section === 'media' && name === '(others)')).toMatchObject(cells);
});

test('a text that a spreadsheet would take for a formula gets an apostrophe, and quotes are kept', () => {
  const names = read(renderCsv(failedOf('=HYPERLINK("http://x")', 'm-"1",'))).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([`'=HYPERLINK("http://x")`, 'm-"1",']));
});

test('the byte order mark is written unless the options turn it off', () => {
  expect(renderCsv(failedOf('m'))).toMatch(/^\uFEFFsection,/);
  expect(renderCsv(failedOf('m'), { byteOrderMark: false })).toMatch(/^section,/);
});
