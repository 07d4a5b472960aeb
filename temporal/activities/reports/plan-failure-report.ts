import { nextPeriod } from '../../../reports/period/next-period';
import type { Period } from '../../../reports/period/period';
import type { ForAccount } from '../../contract/upload';
import type { ReportSchedule } from '../../contract/failure-report';
import { MINUTE_MS } from '../../../api/durations';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';

/** A period ends this long before now, because the newest deliveries may not be found yet. */
const LAG_MS = 10 * MINUTE_MS;

type Input = ForAccount<{
  readonly schedule: ReportSchedule;
  /** Ends of the last delivered periods, ISO 8601. Null: none was delivered. */
  readonly delivered: readonly (string | null)[];
}>;

/** The period that is due after each end. Null: everything old enough was delivered. */
export function planFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, delivered }: Input): Promise<(Period | null)[]> =>
    inHeartbeatingActivity(async () => {
      const { zone, interval } = schedule;
      const now = accountOf(deps, accountId).service.clock.now();
      return delivered.map(
        (end) => nextPeriod({ deliveredTo: end ?? undefined, now, lagMs: LAG_MS, zone, interval }) ?? null,
      );
    });
}
