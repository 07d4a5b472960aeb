import { tmpdir } from 'node:os';
import { MediaServiceError } from '../../../api/errors';
import { locationText } from '../../../files/location-text';
import { openOutputFolder } from '../../../files/output-folder';
import type { FileLocation } from '../../../files/file-location';
import type { ForAccount } from '../../contract/upload';
import type { BatchInput, BatchPlan } from '../../contract/batch';
import { accountOf, type ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { endEarlierPages } from './end-earlier-pages';
import { rowsFile } from '../../batch/batch-files';
import { claimFolder, releaseFolder } from '../../batch/folder-claim';
import { writeLines } from '../../batch/line-files';
import { plannedRow, readPlannedRows } from '../../batch/planned-row';
import { planPages } from '../../batch/plan-pages';
import { planOf, readPlan, writePlan, type StoredPage, type StoredPlan } from '../../batch/stored-plan';
import { manifestRows, releaseManifest } from './manifest-rows';
import { rowContextOf } from '../../batch/row-context';
import { withReadableSources } from './with-readable-sources';

type Input = ForAccount<Pick<BatchInput, 'batchId' | 'manifest' | 'folder' | 'options' | 'again'>> & {
  /** The first run of the root workflow. */
  readonly startedBy: string;
};

/**
 * Reads and checks the whole manifest and writes its rows as pages into the batch's folder. Uploads begin only if
 * every row is right. A batch that is started again keeps its pages. Its manifest may have new rows anywhere, and its
 * rows may be in another order.
 */
export function planBatch(deps: ActivityDeps) {
  return (input: Input): Promise<BatchPlan> =>
    inHeartbeatingActivity(async (signal) => {
      const { accountId, batchId, folder, startedBy, again } = input;
      const { files } = deps;
      await openOutputFolder(files, folder);
      const old = await readPlan(files, folder, batchId);
      if (old === undefined && again === true) throw lostFolder(folder, batchId);
      await claimFolder(files, folder, { accountId, batchId });
      if (old?.startedBy === startedBy) return planOf(old);
      if (old !== undefined) await endEarlierPages(accountId, old);
      const pages = await writtenPages(deps, { input, old }, signal).catch(async (error: unknown) => {
        // Nothing was planned, so another batch may have the folder. After an abort, another worker may already plan
        // this batch.
        if (old === undefined && !signal.aborted) await releaseFolder(files, folder).catch(() => undefined);
        throw error;
      });
      const plan = { batchId, round: (old?.round ?? 0) + 1, startedBy, pages };
      await writePlan(files, folder, plan);
      await releaseManifest(deps, input);
      return planOf({ schema: 0, ...plan });
    });
}

/** Without the files that were written there, every row would be uploaded a second time. */
function lostFolder(folder: FileLocation, batchId: string): MediaServiceError {
  return new MediaServiceError(
    'SourceMissing',
    `The batch ${batchId} was started before, and ${locationText(folder)} no longer holds its plan.`,
    {
      outcome: 'unsent',
      field: 'folder',
      hint: 'Restore the folder: it knows which rows are uploaded. To upload all rows again, start them as a batch with another id.',
    },
  );
}

function writtenPages(
  deps: ActivityDeps,
  { input, old }: { readonly input: Input; readonly old: StoredPlan | undefined },
  signal: AbortSignal,
): Promise<StoredPage[]> {
  const { accountId, batchId, folder, options } = input;
  const { files } = deps;
  const { sealKeys } = accountOf(deps, accountId);
  const rows = manifestRows(deps, input, signal);
  return planPages({
    rows: withReadableSources(deps, { rows, rowContext: rowContextOf(options) }, signal),
    pageRows: options.pageRows,
    old: old?.pages ?? [],
    batchId,
    tempDir: tmpdir(),
    planned: (row) => plannedRow(row, sealKeys),
    readOld: (page) => readPlannedRows(files, { folder, page }, signal),
    write: (page, written) => {
      // An abandoned try must not write while its successor writes.
      signal.throwIfAborted();
      return writeLines(files, rowsFile(folder, page), written);
    },
  });
}
