import { ApplicationFailure } from '@temporalio/common';
import { MediaServiceError } from '../../../api/errors';
import type { ForAccount } from '../../contract/upload';
import type { ReportSchedule } from '../../contract/failure-report';
import { withDelivery } from '../../schedules/report-state';
import type { Delivery } from '../../schedules/report-state';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { emptyState, readState, writeState } from './state-file';

type Input = ForAccount<{ readonly schedule: ReportSchedule; readonly delivery: Delivery }>;

/**
 * Notes in the schedule's state that a target has received a period. A repeated note changes nothing. A delivery must
 * be noted, so this retries a failed write for as long as the workflow allows.
 */
export function noteDelivery(deps: ActivityDeps) {
  return ({ accountId, schedule, delivery }: Input): Promise<void> =>
    inHeartbeatingActivity(async (signal) => {
      const before = (await readState(deps, accountId, schedule)) ?? emptyState(accountId, schedule);
      const after = withDelivery(before, delivery);
      // An abandoned try must not undo what its successor wrote.
      signal.throwIfAborted();
      if (after !== before) await writeState(deps, schedule, after).catch(tryAgain);
    });
}

function tryAgain(error: unknown): never {
  if (!(error instanceof MediaServiceError)) throw error;
  throw ApplicationFailure.create({ message: error.message, type: error.code, details: [error.facts] });
}
