import type { WorkflowExecutionDescription } from '@temporalio/client';

/**
 * PENDING_ACTIVITY_STATE_… and PENDING_WORKFLOW_TASK_STATE_SCHEDULED. The enums are in a package that we can't
 * install.
 */
const SCHEDULED = 1;
const STARTED = 2;

type Described = Pick<WorkflowExecutionDescription, 'raw' | 'taskQueue'>;
type PendingActivity = NonNullable<Described['raw']['pendingActivities']>[number];

/**
 * The queues with due tasks of a workflow that no worker has taken. Leaves out queues from which a worker has taken
 * another task of the workflow. A server before 1.28 does not report the queues of activities, so the result can only
 * contain the workflow's own queue. `now`: epoch ms.
 */
export function waitingQueues({ raw, taskQueue }: Described, now: number): string[] {
  const steps = raw.pendingActivities ?? [];
  const taken = new Set(steps.filter(({ state }) => Number(state) === STARTED).map(queueOf));
  const due = steps.filter((step) => Number(step.state) === SCHEDULED && isDue(step, now)).map(queueOf);
  const isOwnDue = Number(raw.pendingWorkflowTask?.state) === SCHEDULED;
  const waiting = new Set([...due.filter((queue) => queue !== ''), ...(isOwnDue ? [taskQueue] : [])]);
  return [...waiting].filter((queue) => !taken.has(queue));
}

function queueOf({ activityOptions }: PendingActivity): string {
  return activityOptions?.taskQueue?.name ?? '';
}

/** A retried step is due only at its scheduled time. */
function isDue({ nextAttemptScheduleTime }: PendingActivity, now: number): boolean {
  return nextAttemptScheduleTime == null || Number(nextAttemptScheduleTime.seconds) * 1000 <= now;
}
