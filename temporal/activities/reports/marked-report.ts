import type { DeliveryReport } from '../../../reports/report';

interface Marking {
  /** Id of the schedule. */
  readonly schedule: string;
  readonly accountId: string;
  /** No earlier report is known. */
  readonly isFirst: boolean;
}

/** Adds what a report says about itself besides its figures. */
export function markedReport(
  report: DeliveryReport,
  { schedule, accountId, isFirst }: Marking,
): DeliveryReport {
  const notices = [
    ...(isFirst
      ? [
          `This is the first known report of the schedule "${schedule}" to these targets. If you got reports before, the schedule was made again, and you may get this period twice.`,
        ]
      : []),
    ...report.notices,
    ...(report.late === null
      ? ['Late records were not searched for, because not all records of the previous report could be read.']
      : []),
  ];
  return { ...report, sender: { schedule, accountId }, notices };
}
