import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { daysName } from '../../../reports/period/period';
import type { DeliveryReport } from '../../../reports/report';
import { locationText, locationWithin } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';

export type Sender = NonNullable<DeliveryReport['sender']>;

/** The report as a webhook and a JSON file have it. */
export function reportJson(report: DeliveryReport, sender: Sender): string {
  return `${JSON.stringify({ type: 'failure-report', ...sender, report })}\n`;
}

/** The files of a report. Schedules of several accounts may share a folder. */
export function reportFiles(report: DeliveryReport, sender: Sender): readonly NamedFile[] {
  const { schedule, accountId } = sender;
  const name = `webhook-report-${schedule}-${accountId}-${daysName(report, report.zone)}`;
  return [
    { name: `${name}.html`, content: renderHtml(report) },
    { name: `${name}.csv`, content: renderCsv(report) },
    { name: `${name}.json`, content: reportJson(report, sender) },
  ];
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
  const written: string[] = [];
  for (const { name, content } of files) {
    const location = locationWithin(folder, name);
    await writeFileAt({ ...access, fileMode: GROUP_MAY_READ }, location, content);
    written.push(locationText(location));
  }
  return written.join(', ');
}
