import { failureMail } from '../../../../reports/mail/failure-mail';
import type { ReportFailure } from '../../../../reports/mail/failure-mail';
import { renderCsv } from '../../../../reports/csv/report-csv';
import { renderHtml } from '../../../../reports/html/report-html';
import { renderMail, reportFileName } from '../../../../reports/mail/report-mail';
import type { ReportMail } from '../../../../reports/mail/report-mail';
import type { DeliveryReport } from '../../../../reports/report';
import type { ReportRun } from '../../../contract/failure-report';
import type { NamedFile } from './write-files';

/** What is sent, in the form that each kind of target takes; each is made only where it is asked for. */
export interface Message {
  mail(): Promise<ReportMail>;
  /** JSON. */
  body(): string;
  files(): Promise<readonly NamedFile[]>;
}

interface From {
  readonly schedule: string;
  readonly accountId: string;
}

export function reportMessage(report: DeliveryReport, kind: ReportRun['kind'], from: From): Message {
  const json = (): string => `${JSON.stringify({ type: 'failure-report', kind, ...from, report })}\n`;
  const mark = kind === 'next' ? '' : `-${kind}`;
  return {
    mail: () => renderMail(report),
    body: json,
    files: async () => [
      { name: markedName(report, mark, 'html'), content: await renderHtml(report) },
      { name: markedName(report, mark, 'csv'), content: renderCsv(report) },
      { name: markedName(report, mark, 'json'), content: json() },
    ],
  };
}

function markedName(report: DeliveryReport, mark: string, extension: string): string {
  return reportFileName(report, extension).replace(/\.([a-z]+)$/, `${mark}.$1`);
}

export function failureMessage(failure: ReportFailure, from: From): Message {
  const body = (): string =>
    `${JSON.stringify({ type: 'failure-report', kind: 'failed', ...from, failure })}\n`;
  return {
    mail: async () => failureMail(failure),
    body,
    files: async () => [
      {
        name: `webhook-report-FAILED-${failure.at.slice(0, 16).replace(/[-:]/g, '').replace('T', '-')}.txt`,
        content: failureMail(failure).text,
      },
    ],
  };
}
