import { nextPeriod } from '../../../reports/period/period';
import type { Period } from '../../../reports/period/period';
import type { ForAccount } from '../../upload/types';
import type { ReportSchedule } from '../types';
import { MINUTE_MS } from '../../../api/clock';
import { accountOf } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { inHeartbeatingActivity } from '../../worker/in-activity';
import { byAnyWorker } from '../../worker/other-workers';
import { retryingService } from '../../../api/service/service';
import { collectReport } from '../../../reports/collect-report';
import type { DeliveryReport } from '../../../reports/report';

/** A period ends this long before now, because the newest deliveries may not be found yet. */
const LAG_MS = 10 * MINUTE_MS;

type PlanInput = ForAccount<{
  readonly schedule: ReportSchedule;
  /** Ends of the last delivered periods, ISO 8601. Null: none was delivered. */
  readonly delivered: readonly (string | null)[];
}>;

/** The period that is due after each end. Null: everything old enough was delivered. */
export function planFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, delivered }: PlanInput): Promise<(Period | null)[]> =>
    inHeartbeatingActivity(async () => {
      const { zone, interval } = schedule;
      const now = accountOf(deps, accountId).service.clock.now();
      return delivered.map(
        (end) => nextPeriod({ deliveredTo: end ?? undefined, now, lagMs: LAG_MS, zone, interval }) ?? null,
      );
    });
}

type ReadInput = ForAccount<{
  readonly schedule: ReportSchedule;
  readonly period: Period;
  /** No earlier report is known. */
  readonly isFirst: boolean;
}>;

/** Counts the deliveries of the period, and adds what a report says about itself besides its figures. */
export function readFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, period, isFirst }: ReadInput): Promise<DeliveryReport> =>
    byAnyWorker(deps.identity, async (signal) => {
      // A read of many pages would begin again at its first one.
      const service = retryingService(accountOf(deps, accountId).service);
      await deps.accountRates.admitCall(accountId, signal);
      const { id, zone, scope } = schedule;
      const report = await collectReport(service, { query: { ...period, ...scope, zone } }, signal);
      const first = `This is the first known report of the schedule "${id}" to these targets. If you got reports before, the schedule was made again, and you may get this period twice.`;
      const notices = isFirst ? [first, ...report.notices] : report.notices;
      return { ...report, sender: { schedule: id, accountId }, notices };
    });
}
