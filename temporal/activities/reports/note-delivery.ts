import { ApplicationFailure } from '@temporalio/common';
import { MediaServiceError } from '../../../api/errors';
import type { ForAccount } from '../../contract';
import type { ReportSchedule } from '../../contract/failure-report';
import { withDelivery } from '../../schedules/report-state';
import type { Delivery } from '../../schedules/report-state';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { emptyState, readState, writeState } from './state-place';

type Input = ForAccount<{ readonly schedule: ReportSchedule; readonly delivery: Delivery }>;

/**
 * Notes in the schedule's state that a window has arrived at a target; doing it again changes nothing. What was sent has to be noted, so that a place that cannot be
 * written now is tried again for as long as the workflow allows.
 */
export function noteDelivery(deps: ActivityDeps) {
  return ({ accountId, schedule, delivery }: Input): Promise<void> =>
    inHeartbeatingActivity(async (signal) => {
      const before = (await readState(deps, accountId, schedule)) ?? emptyState(accountId, schedule);
      const after = withDelivery(before, delivery);
      // A try that was given up must not undo what came after it.
      signal.throwIfAborted();
      if (after !== before) await writeState(deps, schedule, after).catch(tryAgain);
    });
}

function tryAgain(error: unknown): never {
  if (!(error instanceof MediaServiceError)) throw error;
  throw ApplicationFailure.create({ message: error.message, type: error.code, details: [error.facts] });
}
