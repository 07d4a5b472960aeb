import type { ActivityDeps } from '../context/activity-deps';
import { endRow } from './end-row';
import { giveUpPage } from './give-up-page';
import { joinUpload } from './join-upload';
import { planBatch } from './plan-batch';
import { pollPage } from './poll-page';
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
    giveUpPage: giveUpPage(deps),
    writeResults: writeResults(deps),
  };
}

export type BatchActivities = ReturnType<typeof batchActivities>;
