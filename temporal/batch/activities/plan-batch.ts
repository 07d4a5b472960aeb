import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import { mapInOrder } from '../../../api/map-in-order';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { outputPath } from '../../../files/output-path';
import type { ForAccount } from '../../upload/types';
import type { BatchInput, BatchPlan } from '../types';
import { accountOf, sourceAccess } from '../../worker/activity-deps';
import type { ActivityDeps } from '../../worker/activity-deps';
import { DESCRIBED_AT_ONCE, describedWorkflow, stillRunning } from '../../worker/in-activity';
import { byAnyWorker } from '../../worker/other-workers';
import { isOpen } from '../../client/list-executions';
import { batchPageWorkflowId, batchWorkflowId } from '../ids';
import { batchFile, rowsFile, writeLines } from '../files/batch-files';
import { SkippedRows } from '../files/skipped-rows';
import { claimFolder, planOf, readPlan, releaseFolder, writePlan } from '../files/stored-plan';
import type { StoredPage, StoredPlan } from '../files/stored-plan';
import { openedRow, plannedRow, readPlannedRows, rowContextOf } from '../files/planned-row';
import { planPages } from '../files/plan-pages';
import type { SourceAccess } from '../../../files/sources/source-access';
import { manifestBytes } from '../../../manifest/manifest-bytes';
import { repeatedId } from '../../../manifest/mistakes';
import { Repeats } from '../../../manifest/check/repeats';
import { readManifest } from '../../../manifest/read-manifest';
import { isMistake } from '../../../manifest/row';
import type { ManifestItem } from '../../../manifest/row';

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
    byAnyWorker(deps.identity, async (signal) => {
      const { accountId, batchId, folder, startedBy, again } = input;
      const { files } = deps;
      // Otherwise the error would name the folders that may be read.
      if (folder.kind === 'path') await outputPath(files.outputRoots, join(folder.path, 'plan.json'));
      const owner = { accountId, batchId };
      const old = await readPlan(files, folder, owner);
      if (old === undefined && again === true) throw lostFolder(folder, batchId);
      if (old === undefined) await claimFolder(files, folder, owner);
      if (old?.startedBy === startedBy) return planOf(old);
      if (old !== undefined) await requireEarlierPagesEnded(accountId, old);
      const skipped = new SkippedRows();
      const round = (old?.round ?? 0) + 1;
      const pages = await writtenPages(deps, { input, old, skipped, round }, signal).catch(
        async (error: unknown) => {
          // Nothing was planned, so another batch may have the folder. After an abort, another worker may already plan
          // this batch.
          if (old === undefined && !signal.aborted) await releaseFolder(files, folder).catch(() => undefined);
          throw error;
        },
      );
      const lines = skipped.lines(round);
      if (lines.length > 0) await writeLines(files, batchFile(folder, 'skipped.jsonl'), lines);
      const plan = { ...owner, round, startedBy, pages, skipped: lines.length };
      await writePlan(files, folder, plan);
      return planOf(plan);
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

/**
 * Pages of the batch's last start may still run because its root workflow was terminated, which cancels them. They write
 * the results of their rows. Rejects as `stillRunning` until they have ended, and with `TemporalUnreachable` if Temporal
 * can't describe them now. So two starts never upload the same page at once.
 */
export async function requireEarlierPagesEnded(accountId: string, plan: StoredPlan): Promise<void> {
  const batch = batchWorkflowId(accountId, plan.batchId);
  const ids = plan.pages.map((_page, index) => batchPageWorkflowId(batch, plan, index));
  let open = 0;
  try {
    for await (const page of mapInOrder(ids, DESCRIBED_AT_ONCE, describedWorkflow))
      if (page !== undefined && isOpen(page)) open += 1;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'an unknown failure';
    const message = `the pages of the batch's last start can't be checked: ${reason}`;
    throw new MediaServiceError('TemporalUnreachable', message, { outcome: 'unsent' });
  }
  if (open === 0) return;
  const what = `The batch was started before, and pages of that start end first (${String(open)}): one of them`;
  throw stillRunning(what, Context.current().info.attempt);
}

interface Planning {
  readonly input: Input;
  readonly old: StoredPlan | undefined;
  readonly skipped: SkippedRows;
  readonly round: number;
}

function writtenPages(
  deps: ActivityDeps,
  { input, old, skipped, round }: Planning,
  signal: AbortSignal,
): Promise<StoredPage[]> {
  const { accountId, batchId, folder, options } = input;
  const { files } = deps;
  const { sealKeys } = accountOf(deps, accountId);
  return planPages({
    rows: manifestRows(deps, { input, skipped }, signal),
    pageRows: options.pageRows,
    old: old?.pages ?? [],
    batchId,
    round,
    planned: (row) => plannedRow(row, sealKeys),
    readOld: (page) => readPlannedRows(files, { folder, page }, signal),
    write: (page, written) => {
      // An abandoned try must not write while its successor writes.
      signal.throwIfAborted();
      return writeLines(files, rowsFile(folder, page), written);
    },
  });
}

/** The checked rows of a batch's manifest and its mistakes. At the end come mistakes for repeated ids. */
async function* manifestRows(
  deps: ActivityDeps,
  { input, skipped }: Pick<Planning, 'input' | 'skipped'>,
  signal: AbortSignal,
): AsyncGenerator<ManifestItem> {
  const folder = await mkdtemp(join(tmpdir(), 'media-service-batch-'));
  try {
    const repeats = new Repeats(folder);
    for await (const item of readRows(deps, input, signal)) {
      if (skipped.takes(item, input)) continue;
      if (!isMistake(item)) await repeats.add(item.id, item.line);
      yield item;
    }
    for await (const { key, line, firstLine } of repeats.found()) yield repeatedId(key, line, firstLine);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* readRows(
  deps: ActivityDeps,
  { accountId, manifest, options }: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestItem> {
  const { service, sealKeys } = accountOf(deps, accountId);
  if ('rows' in manifest) {
    for (const row of manifest.rows) yield openedRow(row, sealKeys);
    return;
  }
  const { source, format } = manifest;
  const { ingestTag } = service.options;
  const bytes = manifestBytes(manifestAccess(deps, accountId), source, signal);
  yield* readManifest(bytes, { rowContext: rowContextOf(options), ingestTag, format });
}

/**
 * Manifests from stdin and manifests of failed rows are in the folders for output. Sources that their rows name must
 * be in the root folders.
 */
function manifestAccess(deps: ActivityDeps, accountId: string): SourceAccess {
  const access = sourceAccess(deps, accountId);
  return { ...access, roots: [...access.roots, ...deps.files.outputRoots] };
}
