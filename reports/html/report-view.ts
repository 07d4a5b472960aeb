import type { DeliveryReport, GroupRow } from '../report';
import {
  againstText,
  countText,
  factsOf,
  intervalTexts,
  outcomeText,
  periodText,
  rateAgainstText,
  rateText,
  scopeText,
  subjectOf,
} from '../words/report-words';

interface Table {
  readonly title: string;
  readonly note?: string;
  /** Heading of the first column. */
  readonly first: string;
  readonly rows: readonly ViewRow[];
}

export type ViewRow = ReturnType<typeof viewRow>;

/** With more intervals than this, the mail lists only those with failures. */
const MAX_INTERVAL_ROWS = 62;

/** All texts of the HTML. The template only arranges them. `chart`: SVG, inserted unescaped. */
export function viewOf(report: DeliveryReport, chart: string) {
  return {
    subject: subjectOf(report),
    outcome: outcomeText({ ...report, change: null }),
    period: `${periodText(report, report.zone)} (${report.zone})`,
    scope: scopeText(report),
    figures: figuresOf(report),
    notices: [...(report.complete ? [] : ['This report is incomplete.']), ...report.notices],
    chart,
    byTime: byTimeOf(report),
    breakdowns: [...breakdownView(report, 'media'), ...breakdownView(report, 'subAccounts')],
    facts: factsOf(report),
  };
}

const FIRST = { hour: 'Hour', day: 'Day', week: 'Week' } as const;

function figuresOf(report: DeliveryReport) {
  const { failed, failureRate, total } = report.totals;
  const nothing = report.before === null ? 'no period to compare with' : 'no deliveries before';
  const figures = [
    ['Failed', countText(failed), againstText(report, 'failed'), failed > 0],
    ['Failure rate', rateText(failureRate), rateAgainstText(report), failed > 0],
    ['Deliveries', countText(total), againstText(report, 'total'), false],
  ] as const;
  return figures.map(([name, value, against = nothing, bad]) => ({ name, value, against, bad }));
}

function byTimeOf({ intervals, interval, zone }: DeliveryReport): Table {
  const names = intervalTexts(intervals, interval, zone);
  const rows = intervals.map((counts, index) => viewRow(names[index] ?? '', counts));
  const table = { title: `By ${interval}`, first: FIRST[interval], rows };
  if (rows.length <= MAX_INTERVAL_ROWS) return table;
  const failing = rows.filter(({ bad }) => bad).slice(0, MAX_INTERVAL_ROWS);
  return { ...table, note: 'Only those with failures.', rows: failing };
}

const GROUPS = {
  media: { title: 'Media with most failures', first: 'Media', noun: 'media' },
  subAccounts: { title: 'Sub-accounts with most failures', first: 'Sub-account', noun: 'sub-accounts' },
} as const;

function breakdownView(report: DeliveryReport, group: keyof typeof GROUPS): readonly Table[] {
  const { [group]: breakdown } = report;
  const { title, first, noun } = GROUPS[group];
  if (breakdown === null || breakdown.rows.length === 0) return [];
  const { rows, others, withFailures } = breakdown;
  const shown = rows.map((row) => viewRow(row.id ?? '(none named)', row));
  const rest = { ...viewRow(`All other ${noun}`, others), bad: false };
  const isWhole = others.failed === 0 && others.success === 0;
  const more = withFailures > rows.length ? `; the first ${rows.length} are shown` : '';
  const note = `${countText(withFailures)} ${noun} with failures${more}.`;
  return [{ title, first, note, rows: [...shown, ...(isWhole ? [] : [rest])] }];
}

function viewRow(name: string, { failed, success, failureRate }: Omit<GroupRow, 'id'>) {
  const counts = { failed: countText(failed), success: countText(success), rate: rateText(failureRate) };
  return { name, ...counts, bad: failed > 0 };
}
