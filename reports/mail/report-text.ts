import type { DeliveryReport } from '../report';
import type { ReportView, ViewRow } from '../html/report-view';
import { viewOf } from '../html/report-view';

/** The same report as plain text. Line breaks are removed from texts of the service. */
export function renderText(report: DeliveryReport): string {
  const view = viewOf(report, '');
  const lines = [
    view.outcome,
    view.period,
    view.scope,
    ...view.notices.map((notice) => `! ${notice}`),
    '',
    ...view.figures.map(({ name, value, against }) => `${name}: ${value} (${against})`),
    ...view.breakdowns.flatMap(({ title, note, rows }) => ['', title, note, ...rows.map(rowText)]),
    ...timeLines(view),
    '',
    ...view.facts.map(({ name, text }) => `${name}: ${text}`),
  ];
  return `${lines.map(onOneLine).join('\n')}\n`;
}

function timeLines({ byTime }: ReportView): string[] {
  const failing = byTime.rows.filter(({ bad }) => bad);
  return failing.length === 0 ? [] : ['', `${byTime.title}, only with failures`, ...failing.map(rowText)];
}

function rowText({ name, failed, success, rate }: ViewRow): string {
  return `  ${name}: ${failed} failed, ${success} successful, ${rate}`;
}

function onOneLine(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
