import type { ActivityDeps } from './context/activity-deps';
import { awaitUploadHost } from './await-upload-host';
import { batchActivities } from './batch/batch-activities';
import { completeSession } from './complete-session';
import { findOrphans } from './find-orphans';
import { identifySource } from './identify-source';
import { pinSource } from './pin-source';
import { pollSession } from './poll-session';
import { putPart } from './put-part';
import { readSession } from './read-session';
import { releaseSource } from './release-source';
import { reportActivities } from './reports/report-activities';
import { startSession } from './start-session';

/** The steps of uploads, batches and reports as activities, one file each, over what this worker process holds. */
export function createActivities(deps: ActivityDeps) {
  return {
    pinSource: pinSource(deps),
    identifySource: identifySource(deps),
    startSession: startSession(deps),
    awaitUploadHost: awaitUploadHost(deps),
    findOrphans: findOrphans(deps),
    putPart: putPart(deps),
    completeSession: completeSession(deps),
    readSession: readSession(deps),
    pollSession: pollSession(deps),
    releaseSource: releaseSource(deps),
    ...batchActivities(deps),
    ...reportActivities(deps),
  };
}

export type UploadActivities = ReturnType<typeof createActivities>;
