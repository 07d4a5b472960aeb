import { renderCsv } from '../csv/report-csv';
import { renderHtml } from '../html/report-html';
import type { DeliveryReport } from '../report';
import { daysName } from '../period/days-name';
import { subjectOf } from '../words/report-words';
import { renderText } from './report-text';

/** The fields that any mail library needs. */
export interface ReportMail {
  readonly subject: string;
  readonly html: string;
  /** Plain text as an alternative to `html`. */
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
}

interface MailAttachment {
  readonly fileName: string;
  readonly contentType: string;
  /** UTF-8. */
  readonly content: string;
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
