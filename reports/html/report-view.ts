import { countsOf } from '../counts/counts';
import type { DeliveryReport } from '../report';
import { intervalTexts, periodText } from '../words/dates';
import { countText, rateText } from '../words/figures';
import {
  againstText,
  factsOf,
  outcomeText,
  rateAgainstText,
  scopeText,
  subjectOf,
} from '../words/report-words';

/** All texts of the HTML. The template only arranges them. */
interface ReportView {
  readonly subject: string;
  readonly outcome: string;
  readonly period: string;
  readonly scope: string;
  readonly figures: readonly {
    readonly name: string;
    readonly value: string;
    readonly against: string;
    readonly bad: boolean;
  }[];
  readonly notices: readonly string[];
  readonly chart: string;
  readonly byTime: Table;
  readonly breakdowns: readonly (Table & { readonly note: string })[];
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

interface Table {
  readonly title: string;
  /** Heading of the first column. */
  readonly first: string;
  readonly rows: readonly ViewRow[];
}

export interface ViewRow {
  readonly name: string;
  readonly failed: string;
  readonly success: string;
  readonly rate: string;
  readonly bad: boolean;
}

/** With more intervals than this, the mail lists only those with failures. */
const MAX_INTERVAL_ROWS = 62;

/** `chart`: SVG, inserted unescaped. */
export function viewOf(report: DeliveryReport, chart: string): ReportView {
  return {
    subject: subjectOf(report),
    outcome: outcomeText({ ...report, change: null }),
    period: `${periodText(report, report.zone)} (${report.zone})`,
    scope: scopeText(report),
    figures: figuresOf(report),
    notices: [...(report.complete ? [] : ['This report is incomplete.']), ...report.notices],
    chart,
    byTime: { title: `By ${report.interval}`, first: FIRST[report.interval], rows: intervalRows(report) },
    breakdowns: [...breakdownView(report, 'media'), ...breakdownView(report, 'subAccounts')],
    facts: factsOf(report),
  };
}

const FIRST = { hour: 'Hour', day: 'Day', week: 'Week' } as const;

function figuresOf(report: DeliveryReport): ReportView['figures'] {
  const { totals } = report;
  const nothing = report.before === null ? 'no period to compare with' : 'no deliveries before';
  return [
    {
      name: 'Failed',
      value: countText(totals.failed),
      against: againstText(report, 'failed') ?? nothing,
      bad: totals.failed > 0,
    },
    {
      name: 'Failure rate',
      value: rateText(totals.failureRate),
      against: rateAgainstText(report) ?? nothing,
      bad: totals.failed > 0,
    },
    {
      name: 'Deliveries',
      value: countText(totals.total),
      against: againstText(report, 'total') ?? nothing,
      bad: false,
    },
  ];
}

function intervalRows({ intervals, interval, zone, totals, complete }: DeliveryReport): ViewRow[] {
  const names = intervalTexts(intervals, interval, zone);
  const rows = intervals.map((counts, index) => ({ ...counts, name: names[index] ?? '' }));
  if (rows.length <= MAX_INTERVAL_ROWS) return rows.map((row) => viewRow(row));
  const shown = rows.filter(({ failed }) => failed > 0).slice(0, MAX_INTERVAL_ROWS);
  const listed = shown.reduce(
    (sum, { failed, success }) => ({ failed: sum.failed + failed, success: sum.success + success }),
    { failed: 0, success: 0 },
  );
  const rest = {
    name: `${rows.length - shown.length} other ${interval}s`,
    ...restCounts(totals.failed - listed.failed, totals.success - listed.success, complete),
    rest: true,
  };
  return [...shown, rest].map((row) => viewRow(row));
}

const GROUPS = {
  media: { title: 'Media with most failures', first: 'Media', noun: 'media' },
  subAccounts: { title: 'Sub-accounts with most failures', first: 'Sub-account', noun: 'sub-accounts' },
} as const;

function breakdownView(report: DeliveryReport, group: keyof typeof GROUPS): ReportView['breakdowns'] {
  const { complete, [group]: breakdown } = report;
  const { title, first, noun } = GROUPS[group];
  if (breakdown === null || breakdown.rows.length === 0) return [];
  const { rows, others, withFailures } = breakdown;
  const isWhole = others.failed === 0 && others.success === 0;
  const rest = {
    name: `All other ${noun}`,
    ...restCounts(others.failed, others.success, complete),
    rest: true,
  };
  const shown = rows.map((row) => ({ ...row, name: row.id ?? '(none named)' }));
  return [
    {
      title,
      first,
      note: `${countText(withFailures)} ${noun} with failures${withFailures > rows.length ? `; the first ${rows.length} are shown` : ''}.`,
      rows: [...shown, ...(isWhole ? [] : [rest])].map((row) => viewRow(row)),
    },
  ];
}

/** Without all records, there is no rate. */
function restCounts(
  failed: number,
  success: number | null,
  complete: boolean,
): Pick<NamedCounts, 'failed' | 'success' | 'failureRate'> {
  const isKnown = complete && success !== null;
  return { failed, success, failureRate: isKnown ? countsOf(failed, success).failureRate : null };
}

interface NamedCounts {
  readonly name: string;
  readonly failed: number;
  readonly success: number | null;
  readonly failureRate: number | null;
  /** A row at the end that sums up many others. */
  readonly rest?: boolean;
}

function viewRow({ name, failed, success, failureRate, rest = false }: NamedCounts): ViewRow {
  return {
    name,
    failed: countText(failed),
    success: countText(success),
    rate: rateText(failureRate),
    bad: failed > 0 && !rest,
  };
}
