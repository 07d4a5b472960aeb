import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { ReportActivities } from './activities/index';
import { controlQueue, hostQueue } from '../upload/types';
import type { FailureReportInput, ReportTarget } from './types';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../api/clock';

/** Long, because an abandoned try that is about to send could send at the same time as its successor. */
const HEARTBEAT_MS = 30 * SECOND_MS;

/** How long the service and a target are retried. */
const LIMIT_MS = HOUR_MS;

type Activities = ReturnType<typeof proxyActivities<ReportActivities>>;
/** An input without the fields that every step of the run has. */
type Step<Name extends keyof ReportActivities> = Omit<
  Parameters<ReportActivities[Name]>[0],
  'accountId' | 'schedule'
>;

/**
 * The steps of a report as activities. They run on the machine that has the target's folder, otherwise on any worker of
 * the account.
 */
export function reportSteps({ account, queuePrefix, schedule }: FailureReportInput) {
  const { accountId } = account;
  const on = (host: string | undefined, more: ActivityOptions = {}): Activities =>
    proxyActivities<ReportActivities>({
      taskQueue:
        host === undefined ? controlQueue(queuePrefix, accountId) : hostQueue(queuePrefix, accountId, host),
      startToCloseTimeout: 10 * MINUTE_MS,
      scheduleToCloseTimeout: LIMIT_MS,
      heartbeatTimeout: schedule.heartbeatMs ?? HEARTBEAT_MS,
      retry: RETRY_SLOWLY,
      ...more,
    });
  const anywhere = on(undefined);
  return {
    plan: (step: Step<'planFailureReport'>) => anywhere.planFailureReport({ accountId, schedule, ...step }),
    read: (step: Step<'readFailureReport'>) => anywhere.readFailureReport({ accountId, schedule, ...step }),
    deliver: (step: Step<'deliverReport'>) =>
      // A cancelled run waits, because it must know what was sent.
      on(hostOf(step.target), {
        cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      }).deliverReport({ accountId, schedule, ...step }),
  };
}

export type ReportSteps = ReturnType<typeof reportSteps>;

function hostOf(target: ReportTarget): string | undefined {
  return target.kind === 'folder' && target.folder.kind === 'path' ? target.folder.host : undefined;
}

const RETRY_SLOWLY = {
  initialInterval: 2 * SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: 5 * MINUTE_MS,
};
