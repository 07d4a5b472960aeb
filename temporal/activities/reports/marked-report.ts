import type { DeliveryReport } from '../../../reports/report';
import type { ReportMark, ReportRun, ReportSchedule } from '../../contract/failure-report';

interface Marking {
  readonly schedule: ReportSchedule;
  readonly kind: ReportRun['kind'];
  readonly accountId: string;
  /** No earlier report is known. */
  readonly isFirst: boolean;
}

/** Adds what a report says about itself besides its figures. */
export function markedReport(
  report: DeliveryReport,
  { schedule, kind, accountId, isFirst }: Marking,
): DeliveryReport {
  const mark = markOf(kind);
  const notices = [
    ...(kind === 'backfill'
      ? [`This is a backfill, started by hand. The regular reports of "${schedule.id}" are not affected.`]
      : []),
    ...(kind === 'test'
      ? [`This is a test of the schedule "${schedule.id}": its reports look like this.`]
      : []),
    ...(isFirst
      ? [
          `This is the first known report of the schedule "${schedule.id}" to these targets. If you got reports before, the schedule or the target was made again, and you may get this period twice.`,
        ]
      : []),
    ...report.notices,
    ...(report.late === null
      ? ['Late records were not searched for, because not all records of the previous report could be read.']
      : []),
  ];
  return {
    ...report,
    sender: { schedule: schedule.id, accountId },
    notices,
    ...(mark === undefined ? {} : { mark }),
  };
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
