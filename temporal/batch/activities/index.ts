import type { ActivityDeps } from '../../worker/activity-deps';
import { endRow, joinUpload } from './large-row';
import { pollPage } from './poll-page';
import { planBatch } from './plan-batch';
import { uploadPage } from './upload-page';
import { writeResults } from './write-results';

/** The steps of a batch as activities, one file each. */
export function batchActivities(deps: ActivityDeps) {
  return {
    planBatch: planBatch(deps),
    uploadPage: uploadPage(deps),
    pollPage: pollPage(deps),
    joinUpload: joinUpload(deps),
    endRow: endRow(deps),
    writeResults: writeResults(deps),
  };
}

export type BatchActivities = ReturnType<typeof batchActivities>;
