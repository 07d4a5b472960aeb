import type { ActivityDeps } from '../../worker/activity-deps';
import { deliverReport } from './deliver-report';
import { planFailureReport, readFailureReport } from './read-report';

/** The steps of a scheduled report as activities, one file each. */
export function reportActivities(deps: ActivityDeps) {
  return {
    planFailureReport: planFailureReport(deps),
    readFailureReport: readFailureReport(deps),
    deliverReport: deliverReport(deps),
  };
}

export type ReportActivities = ReturnType<typeof reportActivities>;
