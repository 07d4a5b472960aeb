import type { ActivityDeps } from './context/activity-deps';
import { awaitUploadHosts } from './await-upload-hosts';
import { batchActivities } from './batch/batch-activities';
import { completeSessions } from './complete-sessions';
import { findOrphans } from './find-orphans';
import { identifySource } from './identify-source';
import { pinSources } from './pin-sources';
import { pollSessions } from './poll-sessions';
import { sendParts } from './send-parts';
import { readSessions } from './read-sessions';
import { releaseSources } from './release-sources';
import { reportActivities } from './reports/report-activities';
import { startSessions } from './start-sessions';

/**
 * The steps of uploads, batches and reports as activities, one file each. The steps of uploads work on groups of
 * inputs. All share `deps` of this worker process.
 */
export function createActivities(deps: ActivityDeps) {
  return {
    pinSources: pinSources(deps),
    identifySource: identifySource(deps),
    startSessions: startSessions(deps),
    awaitUploadHosts: awaitUploadHosts(deps),
    findOrphans: findOrphans(deps),
    sendParts: sendParts(deps),
    completeSessions: completeSessions(deps),
    readSessions: readSessions(deps),
    pollSessions: pollSessions(deps),
    releaseSources: releaseSources(deps),
    ...batchActivities(deps),
    ...reportActivities(deps),
  };
}

export type WorkerActivities = ReturnType<typeof createActivities>;
