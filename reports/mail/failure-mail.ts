import { default as Mustache } from 'mustache';
import { onOneLine } from './report-mail';
import type { ReportMail } from './report-mail';

/** Why a scheduled report failed. Every text is our own, or secrets were removed from it. */
export interface ReportFailure {
  readonly schedule: string;
  readonly accountId: string;
  /** ISO 8601. */
  readonly at: string;
  /** One sentence each, with what to do. */
  readonly reasons: readonly string[];
  /** Targets that did receive the report. */
  readonly reached: readonly string[];
  /** The workflow's run, to find it in Temporal. */
  readonly workflowId: string;
}

/** The message that a report failed: as a mail, and as text for other targets. */
export function failureMail(failure: ReportFailure): ReportMail {
  const lines = failureLines(failure).map(onOneLine);
  const subject = `FAILED: scheduled report "${failure.schedule}" [${failure.accountId}]`;
  const html = Mustache.render(FAILURE_TEMPLATE, { subject, lines });
  return { subject, text: `${lines.join('\n')}\n`, html, attachments: [] };
}

const FAILURE_TEMPLATE = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{subject}}</title></head><body style="font-family:sans-serif">
<p>{{#lines}}{{.}}<br>
{{/lines}}</p>
</body></html>
`;

function failureLines({ schedule, accountId, at, reasons, reached, workflowId }: ReportFailure): string[] {
  return [
    `The scheduled report "${schedule}" of the account ${accountId} failed at ${at}:`,
    ...reasons.map((reason) => `- ${reason}`),
    '',
    reached.length === 0 ? 'It reached none of its targets.' : `It did reach: ${reached.join(', ')}.`,
    'Nothing is lost: the next run delivers what is missing.',
    `Look at it in Temporal: workflow ${workflowId}.`,
  ];
}
