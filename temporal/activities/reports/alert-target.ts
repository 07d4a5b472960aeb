import { ApplicationFailure } from '@temporalio/common';
import { MediaServiceError } from '../../../api/errors';
import type { ReportFailure } from '../../../reports/mail/failure-mail';
import { applicationFailureOf } from '../../application-failure';
import type { ForAccount } from '../../contract/upload';
import type { ReportSchedule, ReportTarget } from '../../contract/failure-report';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { deliverMessage } from './delivery/deliver-message';
import { deliveryName } from './delivery/delivery-name';
import { failureMessage } from './delivery/message';

type Input = ForAccount<{
  readonly schedule: ReportSchedule;
  readonly target: ReportTarget;
  readonly failure: ReportFailure;
  readonly runId: string;
}>;

/**
 * Notifies a target that the report failed. Retries only if nothing can have been sent, so that a run sends at most
 * one such message.
 */
export function alertTarget(deps: ActivityDeps) {
  return ({ accountId, schedule, target, failure, runId }: Input): Promise<string> =>
    inHeartbeatingActivity(async (signal) => {
      const identity = { accountId, schedule: schedule.id, kind: 'failed', target: target.key, runId };
      try {
        return await deliverMessage(deps, {
          accountId,
          schedule,
          target,
          message: failureMessage(failure, { schedule: schedule.id, accountId }),
          name: deliveryName(identity),
          signal,
        });
      } catch (error) {
        if (error instanceof MediaServiceError && error.outcome === 'unsent') throw error;
        const failure = applicationFailureOf(error);
        if (!(failure instanceof ApplicationFailure)) throw failure;
        const { message, type, details } = failure;
        throw new ApplicationFailure(message, type, true, details);
      }
    });
}
