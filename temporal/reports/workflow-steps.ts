import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
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
  'accountId' | 'schedule' | 'runId'
>;

export interface ReportSteps {
  plan(step: Step<'planFailureReport'>): ReturnType<Activities['planFailureReport']>;
  read(step: Step<'readFailureReport'>): ReturnType<Activities['readFailureReport']>;
  deliver(step: Step<'deliverReport'>): Promise<string>;
  alert(step: Step<'alertTarget'>): Promise<string>;
}

/**
 * The steps of a report as activities. They run on the machine that has the target's folder, otherwise on any worker of
 * the account.
 */
export function reportSteps({ account, queuePrefix, schedule }: FailureReportInput): ReportSteps {
  const { accountId } = account;
  const { runId } = workflowInfo();
  const on = (host: string | undefined, more: ActivityOptions): Activities =>
    proxyActivities<ReportActivities>({
      taskQueue:
        host === undefined ? controlQueue(queuePrefix, accountId) : hostQueue(queuePrefix, accountId, host),
      startToCloseTimeout: 10 * MINUTE_MS,
      heartbeatTimeout: schedule.heartbeatMs ?? HEARTBEAT_MS,
      retry: RETRY_SLOWLY,
      ...more,
    });
  const anywhere = on(undefined, { scheduleToCloseTimeout: LIMIT_MS });
  const atTarget = (target: ReportTarget, more: ActivityOptions): Activities =>
    on(target.kind === 'folder' && target.folder.kind === 'path' ? target.folder.host : undefined, {
      // A cancelled run waits, because it must know what was sent.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      ...more,
    });
  return {
    plan: (step) => anywhere.planFailureReport({ accountId, schedule, ...step }),
    read: (step) => anywhere.readFailureReport({ accountId, schedule, ...step }),
    deliver: (step) =>
      atTarget(step.target, { scheduleToCloseTimeout: LIMIT_MS }).deliverReport({
        accountId,
        schedule,
        ...step,
      }),
    alert: (step) =>
      atTarget(step.target, { scheduleToCloseTimeout: 2 * MINUTE_MS, retry: ONCE_MORE }).alertTarget({
        accountId,
        schedule,
        runId,
        ...step,
      }),
  };
}

const RETRY_SLOWLY = {
  initialInterval: 2 * SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: 5 * MINUTE_MS,
};
const ONCE_MORE = { initialInterval: SECOND_MS, maximumAttempts: 2 };
