import { renderCsv } from '../csv/report-csv';
import { renderHtml } from '../html/report-html';
import type { DeliveryReport } from '../report';
import { daysName } from '../period/days-name';
import { subjectOf } from '../words/report-words';
import { renderText } from './report-text';

/** What any mailer needs. */
export interface ReportMail {
  readonly subject: string;
  readonly html: string;
  /** The alternative to `html`. */
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly fileName: string;
  readonly contentType: string;
  /** UTF-8. */
  readonly content: string;
}

/** The report as a mail with its figures attached as CSV. Subject and headers hold no text of the service's. */
export async function renderMail(report: DeliveryReport): Promise<ReportMail> {
  return {
    subject: subjectOf(report),
    html: await renderHtml(report),
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

/** `webhook-report-2026-11-20.csv`: the days are those of the report's time zone. */
export function reportFileName(report: DeliveryReport, extension: string): string {
  return `webhook-report-${daysName(report, report.zone)}.${extension}`;
}
