import type { LastRun, RunOutcome } from '../../temporal/reports/client/run-report';
import type { ScheduleListing } from '../../temporal/reports/client/describe-schedule';
import { shownError, withShownWait } from '../errors/what-to-do';

/** Returns a schedule for JSON output: names of secrets, no sealed addresses. */
export function scheduleJson(schedule: ScheduleListing): object {
  const { id, scheduleId, accountId, times, zone, targets, paused, nextTimes, lastRun } = schedule;
  return {
    id,
    scheduleId,
    accountId,
    times,
    zone,
    targets,
    paused,
    nextTimes,
    lastRun: lastRun && shownRun(lastRun),
  };
}

/** Returns a run with the advice for its error as text. */
export function shownRun({ error, ...run }: Pick<LastRun, 'workflowId'> & Partial<RunOutcome>): object {
  return { ...withShownWait(run), ...(error === undefined ? {} : { error: shownError(error) }) };
}
