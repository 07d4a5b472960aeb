import type { ActivityDeps } from '../../worker/activity-deps';
import { endRow } from './large-row';
import { planBatch } from './plan-batch';
import { uploadPage } from './upload-page';
import { writeResults } from './write-results';

/** The steps of a batch as activities, one file each. */
export function batchActivities(deps: ActivityDeps) {
  return {
    planBatch: planBatch(deps),
    uploadPage: uploadPage(deps),
    endRow: endRow(deps),
    writeResults: writeResults(deps),
  };
}

export type BatchActivities = ReturnType<typeof batchActivities>;
