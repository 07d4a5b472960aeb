import type { UploadActivities } from '../../../temporal/activities/create-activities';
import { BATCH, CARRIED_OVER, GIVEN_UP, JOINED, PAGES } from './batch-scenarios';
import type { Scenario } from './cell';
import { FAILING_REPORT, REPORT } from './report-scenarios';
import { IDENTIFIED, UPLOADS } from './upload-scenarios';

/** How to reach the activity, by workflow type. */
type Rows = Readonly<Record<string, Scenario>>;

const both = (activity: keyof typeof UPLOADS): Rows => ({
  uploadMedia: UPLOADS[activity],
  uploadBatchPage: PAGES[activity],
});

/** Every activity, in every workflow that calls it. */
export const TABLE: Readonly<Record<keyof UploadActivities, Rows>> = {
  pinSources: both('pinSources'),
  startSessions: both('startSessions'),
  awaitUploadHosts: both('awaitUploadHosts'),
  findOrphans: both('findOrphans'),
  sendParts: both('sendParts'),
  completeSessions: both('completeSessions'),
  readSessions: both('readSessions'),
  pollSessions: both('pollSessions'),
  releaseSources: both('releaseSources'),
  identifySource: { identifySource: IDENTIFIED },
  planBatch: { uploadBatch: BATCH },
  loadPage: { uploadBatchPage: BATCH },
  writeJournal: { uploadBatchPage: BATCH },
  joinUpload: { uploadBatchPage: JOINED },
  awaitPage: { uploadBatch: CARRIED_OVER },
  giveUpPage: { uploadBatch: GIVEN_UP },
  writeResults: { uploadBatch: BATCH },
  planFailureReport: { failureReport: REPORT },
  readFailureReport: { failureReport: REPORT },
  deliverReport: { failureReport: REPORT },
  noteDelivery: { failureReport: REPORT },
  alertTarget: { failureReport: FAILING_REPORT },
};

/** `workflow activity` for every row. */
export const ROWS: readonly {
  readonly workflow: string;
  readonly activity: string;
  readonly scenario: Scenario;
}[] = Object.entries(TABLE).flatMap(([activity, rows]) =>
  Object.entries(rows).map(([workflow, scenario]) => ({ workflow, activity, scenario })),
);
