import { renderCsv } from '../csv/report-csv';
import { renderHtml } from '../html/report-html';
import type { DeliveryReport } from '../report';
import { viewOf } from '../html/report-view';
import type { ViewRow } from '../html/report-view';
import { daysName } from '../period/period';
import { subjectOf } from '../words/report-words';

/** The fields that any mail library needs. */
export interface ReportMail {
  readonly subject: string;
  readonly html: string;
  /** Plain text as an alternative to `html`. */
  readonly text: string;
  /** Each in UTF-8. */
  readonly attachments: readonly Readonly<Record<'fileName' | 'contentType' | 'content', string>>[];
}

/** The report as a mail with its figures as a CSV attachment. Subject and headers contain no text of the service. */
export function renderMail(report: DeliveryReport): ReportMail {
  return {
    subject: subjectOf(report),
    html: renderHtml(report),
    text: renderText(report),
    attachments: [
      {
        fileName: reportFileName(report, 'csv'),
        contentType: 'text/csv; charset=utf-8',
        content: renderCsv(report),
      },
    ],
  };
}

/** `webhook-report-2026-11-20.csv`: the days are in the report's time zone. */
export function reportFileName(report: DeliveryReport, extension: string): string {
  return `webhook-report-${daysName(report, report.zone)}.${extension}`;
}

/** The report as plain text. Line breaks are removed from texts of the service. */
export function renderText(report: DeliveryReport): string {
  const { byTime, ...view } = viewOf(report, '');
  const failing = byTime.rows.filter(({ bad }) => bad);
  const lines = [
    view.outcome,
    view.period,
    view.scope,
    ...view.notices.map((notice) => `! ${notice}`),
    '',
    ...view.figures.map(({ name, value, against }) => `${name}: ${value} (${against})`),
    ...view.breakdowns.flatMap(({ title, note = '', rows }) => ['', title, note, ...rows.map(rowText)]),
    ...(failing.length === 0 ? [] : ['', `${byTime.title}, only with failures`, ...failing.map(rowText)]),
    '',
    ...view.facts.map(({ name, text }) => `${name}: ${text}`),
  ];
  return lines.map((line) => `${line.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')}\n`).join('');
}

function rowText({ name, failed, success, rate }: ViewRow): string {
  return `  ${name}: ${failed} failed, ${success} successful, ${rate}`;
}
