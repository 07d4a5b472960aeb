import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import type { SourceAccess } from '../../../api/upload/sources/source-access';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { openSource, pinAnySize, releaseSource } from '../../../api/upload/sources/read-source';
import { isOurs } from '../../../api/upload/sources/source-rules';
import { Repeats } from '../../../manifest/check/repeats';
import { manifestFailure } from '../../../manifest/manifest-failure';
import { repeatedId } from '../../../manifest/mistakes';
import { readManifest } from '../../../manifest/read-manifest';
import { isMistake } from '../../../manifest/row';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';
import { locationText } from '../../../files/location-text';
import { openOutputFolder } from '../../../files/output-folder';
import type { FileLocation } from '../../../files/file-location';
import type { ForAccount } from '../../contract/upload';
import { DEFAULT_BATCH_OPTIONS } from '../../contract/batch';
import type { BatchOptions, BatchPlan, ManifestInput } from '../../contract/batch';
import { openedRows } from '../../sealed-rows';
import { accountOf } from '../context/activity-deps';
import type { ActivityDeps } from '../context/activity-deps';
import { inHeartbeatingActivity } from '../context/in-activity';
import { sourceAccess } from '../context/source-access';
import { endEarlierPages } from './end-earlier-pages';
import { rowsFile } from './journal/batch-files';
import { claimFolder, releaseFolder } from './journal/folder-claim';
import { writeLines } from './journal/line-files';
import { plannedRow, readPlannedRows } from './journal/planned-row';
import { planPages } from './journal/plan-pages';
import { planOf, readPlan, writePlan } from './journal/stored-plan';
import type { StoredPage, StoredPlan } from './journal/stored-plan';
import { rowContextOf } from './row-context';
import { withReadableSources } from './with-readable-sources';

type Input = ForAccount<{
  readonly batchId: string;
  readonly manifest: ManifestInput;
  readonly folder: FileLocation;
  readonly options: BatchOptions;
  /** The first run of the root workflow. */
  readonly startedBy: string;
  /** Temporal knows an earlier start whose manifest was accepted. */
  readonly again?: boolean;
}>;

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
  const rows = withRepeats(manifestRows(deps, input, signal));
  return planPages({
    rows: withReadableSources(deps, { rows, rowContext: rowContextOf(options) }, signal),
    pageRows: options.pageRows ?? DEFAULT_BATCH_OPTIONS.pageRows,
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

async function* manifestRows(
  deps: ActivityDeps,
  { accountId, manifest, options }: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const { ingestTag } = accountOf(deps, accountId).service.options;
  const rules = { rowContext: rowContextOf(options), ingestTag };
  if ('rows' in manifest) {
    const { sealKeys } = accountOf(deps, accountId);
    const lines = openedRows(manifest.rows, sealKeys).map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
    yield* readManifest(each(lines), { ...rules, format: 'jsonl' });
    return;
  }
  const { source, format } = manifest;
  const bytes = sourceBytes(deps, { accountId, source }, signal);
  yield* readManifest(bytes, { ...rules, format });
}

/** The rows, and after them a mistake for each repeated id. */
async function* withRepeats(
  rows: AsyncIterable<ManifestRow | ManifestMistake>,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const folder = await mkdtemp(join(tmpdir(), 'media-service-batch-'));
  try {
    const repeats = new Repeats(folder);
    for await (const item of rows) {
      const id = isMistake(item) ? item.readable?.id : item.id;
      if (id !== undefined) await repeats.add(id, item.line);
      yield item;
    }
    for await (const { key, line, firstLine } of repeats.found()) {
      yield repeatedId(key, line, firstLine);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* sourceBytes(
  deps: ActivityDeps,
  { accountId, source }: { readonly accountId: string; readonly source: SourceDescriptor },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const access = manifestAccess(deps, accountId, source);
  const pinned = await pinAnySize(access, source, signal).catch((error: unknown) => {
    throw manifestFailure(error);
  });
  try {
    if (pinned.bytes === 0) return;
    // The source reuses its chunks, but the manifest reader may keep them.
    for await (const chunk of openSource(access, pinned).read(0, pinned.bytes, signal))
      yield Buffer.from(chunk);
  } finally {
    // A copy of it; a handed-over manifest itself is needed until its rows are pages.
    if (!isOurs(source)) await releaseSource(access, pinned.source);
  }
}

/**
 * Manifests from stdin and manifests of failed rows are in the folders for output. Sources that their rows name must
 * be in the root folders.
 */
function manifestAccess(deps: ActivityDeps, accountId: string, source: SourceDescriptor): SourceAccess {
  const access = sourceAccess(deps, accountId, source);
  return { ...access, roots: [...access.roots, ...deps.files.outputRoots] };
}

/**
 * A handed-over manifest is needed until its rows are pages. The batch continues even if the manifest can't be deleted.
 */
async function releaseManifest(deps: ActivityDeps, { accountId, manifest }: Input): Promise<void> {
  if ('rows' in manifest) return;
  const access = sourceAccess(deps, accountId, manifest.source);
  await releaseSource(access, manifest.source).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    Context.current().log.warn(`The manifest stays: ${reason}`);
  });
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
