import type { ActivityDeps } from '../context/activity-deps';
import { alertTarget } from './alert-target';
import { deliverReport } from './deliver-report';
import { planFailureReport } from './plan-failure-report';
import { readFailureReport } from './read-failure-report';

/** The steps of a scheduled report as activities, one file each. */
export function reportActivities(deps: ActivityDeps) {
  return {
    planFailureReport: planFailureReport(deps),
    readFailureReport: readFailureReport(deps),
    deliverReport: deliverReport(deps),
    alertTarget: alertTarget(deps),
  };
}

export type ReportActivities = ReturnType<typeof reportActivities>;
