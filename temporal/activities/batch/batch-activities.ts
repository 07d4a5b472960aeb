import type { ActivityDeps } from '../context/activity-deps';
import { awaitPage } from './await-page';
import { giveUpPage } from './give-up-page';
import { joinUpload } from './join-upload';
import { loadPage } from './load-page';
import { planBatch } from './plan-batch';
import { writeResults } from './write-results';
import { writeJournal } from './write-journal';

/** The steps of a batch as activities, one file each. */
export function batchActivities(deps: ActivityDeps) {
  return {
    planBatch: planBatch(deps),
    loadPage: loadPage(deps),
    writeJournal: writeJournal(deps),
    joinUpload: joinUpload(deps),
    awaitPage: awaitPage(deps),
    giveUpPage: giveUpPage(deps),
    writeResults: writeResults(deps),
  };
}

export type BatchActivities = ReturnType<typeof batchActivities>;
