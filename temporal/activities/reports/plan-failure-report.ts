import type { ForAccount } from '../../contract/upload';
import type { ReportRun, ReportSchedule } from '../../contract/failure-report';
import { begunState, planPeriods } from '../../schedules/plan-periods';
import type { PeriodPlan } from '../../schedules/plan-periods';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { checkWritable, emptyState, readState, writeState } from './state-file';

type Input = ForAccount<{ readonly schedule: ReportSchedule; readonly run: ReportRun }>;

/**
 * Plans which periods each target must get. Rejects before anything is sent if the state could not be written later. A
 * test writes no state, because another run may have changed it since it was read.
 */
export function planFailureReport(deps: ActivityDeps) {
  return ({ accountId, schedule, run }: Input): Promise<PeriodPlan> =>
    inHeartbeatingActivity(async () => {
      const { service } = accountOf(deps, accountId);
      if (run.kind === 'backfill') return planPeriods(schedule, run, { state: undefined, now: 0 });
      const now = service.clock.now();
      const before = (await readState(deps, accountId, schedule)) ?? emptyState(accountId, schedule);
      const state = run.kind === 'next' ? begunState(before, schedule, now) : before;
      if (state === before) await checkWritable(deps, schedule);
      else await writeState(deps, schedule, state);
      return planPeriods(schedule, run, { state, now });
    });
}
