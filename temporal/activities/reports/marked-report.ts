import type { DeliveryReport } from '../../../reports/report';
import type { ReportMark, ReportRun, ReportSchedule } from '../../contract/failure-report';

/** What a report says of itself besides its figures. */
export function markedReport(
  report: DeliveryReport,
  { schedule, kind }: { readonly schedule: ReportSchedule; readonly kind: ReportRun['kind'] },
): DeliveryReport {
  const mark = markOf(kind);
  const notices = [
    ...(kind === 'backfill'
      ? [`This is a back-fill, asked for by hand: the regular reports of "${schedule.id}" are as they were.`]
      : []),
    ...(kind === 'test'
      ? [`This is a test of the schedule "${schedule.id}": its reports look like this.`]
      : []),
    ...report.notices,
    ...(report.late === null
      ? ['Late records were not looked for, since not all records of the report before could be read.']
      : []),
  ];
  return { ...report, notices, ...(mark === undefined ? {} : { mark }) };
}

function markOf(kind: ReportRun['kind']): ReportMark | undefined {
  switch (kind) {
    case 'next':
      return undefined;
    case 'backfill':
      return 'BACKFILL';
    case 'test':
      return 'TEST';
  }
}
