import { stringify } from 'csv-stringify/sync';
import type { Breakdown, DeliveryReport } from '../report';

const COLUMNS = ['section', 'name', 'from', 'to', 'total', 'failed', 'success', 'failureRate'] as const;

interface CsvRow {
  readonly section: 'total' | 'before' | 'interval' | 'media' | 'subAccount';
  readonly name?: string;
  readonly from: string;
  readonly to: string;
  readonly failed: number;
  readonly success: number | null;
  readonly failureRate: number | null;
}

interface CsvOptions {
  /** Begins the file with a byte order mark. Without it, Excel does not recognise UTF-8. Default true. */
  readonly byteOrderMark?: boolean;
}

/**
 * The report's figures as one flat table with a header line. It has the total, the period before, each interval, and
 * the rows of each group with their `(others)`. A text that a spreadsheet would read as a formula gets
 * an apostrophe. Rates are 0 to 1, times are UTC, lines end in CRLF.
 */
export function renderCsv(report: DeliveryReport, { byteOrderMark = true }: CsvOptions = {}): string {
  const rows = rowsOf(report).map((row) => ({
    ...row,
    total: row.success === null ? null : row.failed + row.success,
  }));
  return stringify(rows, {
    header: true,
    columns: [...COLUMNS],
    bom: byteOrderMark,
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}

function rowsOf(report: DeliveryReport): CsvRow[] {
  const { from, to, totals, before, intervals, media, subAccounts } = report;
  return [
    { section: 'total', from, to, ...totals },
    ...(before === null ? [] : [{ section: 'before', ...before } as const]),
    ...intervals.map((interval) => ({ section: 'interval', ...interval }) as const),
    ...groupRows('media', report, media),
    ...groupRows('subAccount', report, subAccounts),
  ];
}

function groupRows(
  section: 'media' | 'subAccount',
  { from, to, complete }: DeliveryReport,
  breakdown: Breakdown | null,
): CsvRow[] {
  if (breakdown === null) return [];
  const { rows, others } = breakdown;
  const all = others.success === null || !complete ? 0 : others.failed + others.success;
  return [
    ...rows.map((row) => ({ ...row, section, name: row.id ?? '(none named)', from, to })),
    { ...others, section, name: '(others)', from, to, failureRate: all === 0 ? null : others.failed / all },
  ];
}
