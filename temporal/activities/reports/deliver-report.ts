import type { DeliveryReport } from '../../../reports/report';
import type { ForAccount } from '../../contract/upload';
import type { ReportSchedule, ReportTarget } from '../../contract/failure-report';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { deliverMessage } from './delivery/deliver-message';
import { deliveryName } from './delivery/delivery-name';
import { reportMessage } from './delivery/message';

type Input = ForAccount<{
  readonly schedule: ReportSchedule;
  readonly target: ReportTarget;
  readonly report: DeliveryReport;
}>;

/**
 * Delivers the report to one target. A try without an answer is repeated under the same name, so that the receiver can
 * recognise it.
 */
export function deliverReport(deps: ActivityDeps) {
  return ({ accountId, schedule, target, report }: Input): Promise<string> =>
    inHeartbeatingActivity((signal) => {
      const { from, to } = report;
      const identity = {
        accountId,
        schedule: schedule.id,
        kind: 'report',
        target: target.key,
        period: { from, to },
      };
      return deliverMessage(deps, {
        accountId,
        schedule,
        target,
        message: reportMessage(report, { schedule: schedule.id, accountId }),
        name: deliveryName(identity),
        signal,
      });
    });
}
