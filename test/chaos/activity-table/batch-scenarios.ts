import { systemCodeOf } from '../../../files/system-error';
import type { BatchOptions, ResultLine } from '../../../temporal/batch/types';
import { batchFolder, resultsOfBatch, startRows, writeRows } from '../../support/batch-fixture';
import type { UploadFixture } from '../../support/upload-fixture';
import type { RunContext, Scenario } from './cell';
import { HASTY_UPLOAD } from './upload-scenarios';

const NAME = 'killed';
const ROWS = 3;

export const BATCH: Scenario = ({ fixture }) => begin(fixture);

/** Each file is too large for its page, and gets a workflow of its own. */
export const LARGE: Scenario = ({ fixture }) => begin(fixture, { smallFileBytes: 1 });

/** The service processes rows for so long that their page waits for them without a slot. */
export const PROCESSED: Scenario = ({ fixture, resumed }) => {
  fixture.simulator.fault('processing-stuck');
  void resumed.then(() => releaseProcessing(fixture));
  return begin(fixture);
};

async function begin(fixture: UploadFixture, options: BatchOptions = {}): Promise<RunContext> {
  const rows = await writeRows(fixture, NAME, ROWS);
  const files = new Map(rows.map(({ id, source }) => [`Film ${id}`, source]));
  const again: RunContext['again'] = () =>
    startRows(fixture, NAME, rows, {
      options: { parallelUploads: ROWS, pageRows: ROWS, ...options, upload: HASTY_UPLOAD },
    });
  const handle = await again();
  const folders = [batchFolder(fixture, NAME)];
  return {
    handle,
    again,
    async evidence(result) {
      const lines = await resultsOfBatch(fixture, NAME);
      expect(lines.map(({ title, status }) => `${title ?? ''} ${status}`)).toEqual(
        [...files.keys()].map((title) => `${title} COMPLETED`),
      );
      return { workflowIds: [handle.workflowId], files, reported: [result, lines], folders };
    },
    shown: () => resultsOfBatch(fixture, NAME).catch(unlessNone),
  };
}

/** A batch that is cancelled before it is planned writes no results. */
function unlessNone(error: unknown): ResultLine[] {
  if (systemCodeOf(error) === 'ENOENT') return [];
  throw error;
}

/** The run may continue before its processing is stuck. */
async function releaseProcessing({ simulator }: UploadFixture): Promise<void> {
  await simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'processing');
  simulator.release();
}
