import { stringify } from 'csv-stringify/sync';
import type { Breakdown, DeliveryReport } from '../report';

const COLUMNS = ['section', 'name', 'from', 'to', 'total', 'failed', 'success', 'failureRate'] as const;

/**
 * The report's figures as one flat table with a header line. It has the total, the period before, each interval, and
 * the rows of each group with their `(others)`. A text that a spreadsheet would read as a formula gets
 * an apostrophe. Rates are 0 to 1, times are UTC, lines end in CRLF.
 * `byteOrderMark`: without it, Excel does not recognise UTF-8.
 */
export function renderCsv(report: DeliveryReport, { byteOrderMark = true } = {}): string {
  return stringify(rowsOf(report), {
    header: true,
    columns: [...COLUMNS],
    bom: byteOrderMark,
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}

function rowsOf(report: DeliveryReport) {
  const { from, to, totals, before, intervals, media, subAccounts } = report;
  return [
    { section: 'total', from, to, ...totals },
    ...(before === null ? [] : [{ section: 'before', ...before }]),
    ...intervals.map((interval) => ({ section: 'interval', ...interval })),
    ...groupRows('media', report, media),
    ...groupRows('subAccount', report, subAccounts),
  ];
}

function groupRows(
  section: 'media' | 'subAccount',
  { from, to }: DeliveryReport,
  breakdown: Breakdown | null,
) {
  if (breakdown === null) return [];
  const { rows, others } = breakdown;
  return [
    ...rows.map(({ id, ...row }) => ({ ...row, name: id ?? '(none named)' })),
    { ...others, name: '(others)' },
  ].map((row) => ({
    ...{ section, from, to, ...row },
    total: row.success === null ? null : row.failed + row.success,
  }));
}
