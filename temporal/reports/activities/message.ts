import { failureMail } from '../../../reports/mail/failure-mail';
import type { ReportFailure } from '../../../reports/mail/failure-mail';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { renderMail } from '../../../reports/mail/report-mail';
import type { ReportMail } from '../../../reports/mail/report-mail';
import { daysName } from '../../../reports/period/period';
import type { DeliveryReport } from '../../../reports/report';
import { locationText, locationWithin } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';

/** A message in the form for each kind of target. Each form is made only when it is needed. */
export interface Message {
  mail(): ReportMail;
  /** JSON. */
  body(): string;
  files(): readonly NamedFile[];
}

interface From {
  readonly schedule: string;
  readonly accountId: string;
}

export function reportMessage(report: DeliveryReport, from: From): Message {
  const json = (): string =>
    `${JSON.stringify({ type: 'failure-report', kind: 'report', ...from, report })}\n`;
  const name = `webhook-report-${nameOf(from)}-${daysName(report, report.zone)}`;
  return {
    mail: () => renderMail(report),
    body: json,
    files: () => [
      { name: `${name}.html`, content: renderHtml(report) },
      { name: `${name}.csv`, content: renderCsv(report) },
      { name: `${name}.json`, content: json() },
    ],
  };
}

export function failureMessage(failure: ReportFailure, from: From): Message {
  const body = (): string =>
    `${JSON.stringify({ type: 'failure-report', kind: 'failed', ...from, failure })}\n`;
  return {
    mail: () => failureMail(failure),
    body,
    files: () => [
      {
        name: `webhook-report-FAILED-${nameOf(from)}-${secondOf(failure.at)}.txt`,
        content: failureMail(failure).text,
      },
    ],
  };
}

/** Schedules of several accounts may share a folder. */
function nameOf({ schedule, accountId }: From): string {
  return `${schedule}-${accountId}`;
}

/** `20261120-000000`. */
function secondOf(iso: string): string {
  return iso.slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}

/** Reports are for people. Whatever else a worker writes is for its own user. */
const GROUP_MAY_READ = 0o640;

interface NamedFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Writes each file completely into the folder. The same report replaces its earlier files. Resolves with their
 * location.
 */
export async function writeFiles(
  access: FileAccess,
  folder: FileLocation,
  files: readonly NamedFile[],
): Promise<string> {
  const locations = files.map(({ name }) => locationWithin(folder, name));
  for (const [index, { content }] of files.entries()) {
    const location = locations[index];
    if (location !== undefined) await writeFileAt({ ...access, fileMode: GROUP_MAY_READ }, location, content);
  }
  return locations.map(locationText).join(', ');
}
