import type { ActivityDeps } from './context/activity-deps';
import { batchActivities } from './batch/batch-activities';
import { uploadActivities } from '../upload/activities';
import { reportActivities } from './reports/report-activities';

/**
 * The steps of uploads, batches and reports as activities. All share `deps` of this worker process.
 */
export function createActivities(deps: ActivityDeps) {
  return {
    ...uploadActivities(deps),
    ...batchActivities(deps),
    ...reportActivities(deps),
  };
}

export type WorkerActivities = ReturnType<typeof createActivities>;
