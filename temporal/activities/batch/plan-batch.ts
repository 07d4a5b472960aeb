import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { MediaServiceError } from '../../../api/errors';
import type { SourceAccess } from '../../../api/upload/sources/source-access';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { openSource } from '../../../api/upload/sources/open-source';
import { pinAnySize } from '../../../api/upload/sources/source-pin';
import { releaseSource } from '../../../api/upload/sources/source-release';
import { Repeats } from '../../../manifest/check/repeats';
import { manifestFailure } from '../../../manifest/manifest-failure';
import { repeatedId } from '../../../manifest/mistakes';
import { readManifest } from '../../../manifest/read-manifest';
import { isMistake } from '../../../manifest/row';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';
import { placeText } from '../../../places/place-text';
import { openOutputFolder } from '../../../places/output-folder';
import type { Place } from '../../../places/place';
import type { ForAccount } from '../../contract';
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
import { rowPlaceOf } from './row-place';
import { withReadableSources } from './with-readable-sources';

type Input = ForAccount<{
  readonly batchId: string;
  readonly manifest: ManifestInput;
  readonly folder: Place;
  readonly options: BatchOptions;
  /** The root's first run. */
  readonly startedBy: string;
  /** Temporal knew an earlier start whose manifest was taken. */
  readonly again?: boolean;
}>;

/**
 * Reads and checks the whole manifest and writes its rows as pages into the batch's folder. Nothing is uploaded unless every row is right. A
 * batch that is started again keeps its pages: its manifest may have grown, wherever, and its rows may stand in another order.
 */
export function planBatch(deps: ActivityDeps) {
  return (input: Input): Promise<BatchPlan> =>
    inHeartbeatingActivity(async (signal) => {
      const { accountId, batchId, folder, startedBy, again } = input;
      const { places } = deps;
      await openOutputFolder(places, folder);
      const old = await readPlan(places, folder, batchId);
      if (old === undefined && again === true) throw lostFolder(folder, batchId);
      await claimFolder(places, folder, { accountId, batchId });
      if (old?.startedBy === startedBy) return planOf(old);
      if (old !== undefined) await endEarlierPages(accountId, old);
      const pages = await writtenPages(deps, { input, old }, signal).catch(async (error: unknown) => {
        // Nothing was planned: another batch may have the folder. One that is aborted may go on elsewhere already.
        if (old === undefined && !signal.aborted) await releaseFolder(places, folder).catch(() => undefined);
        throw error;
      });
      const plan = { batchId, round: (old?.round ?? 0) + 1, startedBy, pages };
      await writePlan(places, folder, plan);
      await releaseManifest(deps, input);
      return planOf({ schema: 0, ...plan });
    });
}

/** Without what was written there, every row would be uploaded a second time. */
function lostFolder(folder: Place, batchId: string): MediaServiceError {
  return new MediaServiceError(
    'SourceMissing',
    `The batch ${batchId} was started before, and ${placeText(folder)} no longer holds its plan.`,
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
  const { places } = deps;
  const { sealKeys } = accountOf(deps, accountId);
  const rows = withRepeats(manifestRows(deps, input, signal));
  return planPages({
    rows: withReadableSources(deps, { rows, place: rowPlaceOf(options) }, signal),
    pageRows: options.pageRows ?? DEFAULT_BATCH_OPTIONS.pageRows,
    old: old?.pages ?? [],
    batchId,
    tempDir: tmpdir(),
    planned: (row) => plannedRow(row, sealKeys),
    readOld: (page) => readPlannedRows(places, { folder, page }, signal),
    write: (page, written) => {
      // A try that was given up must not write beside the one that came after it.
      signal.throwIfAborted();
      return writeLines(places, rowsFile(folder, page), written);
    },
  });
}

async function* manifestRows(
  deps: ActivityDeps,
  { accountId, manifest, options }: Input,
  signal: AbortSignal,
): AsyncGenerator<ManifestRow | ManifestMistake> {
  const { ingestTag } = accountOf(deps, accountId).service.options;
  const rules = { place: rowPlaceOf(options), ingestTag };
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

/** The rows, and after them a mistake for each id that comes twice. */
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
    // The reader's chunks are its own; the manifest's reader may keep them.
    for await (const chunk of openSource(access, pinned).read(0, pinned.bytes, signal))
      yield Buffer.from(chunk);
  } finally {
    if (source.kind === 'http') await releaseSource(access, pinned.source);
  }
}

/** Manifests from stdin and those of failed rows lie where batches are written. What their rows name is held against the roots alone. */
function manifestAccess(deps: ActivityDeps, accountId: string, source: SourceDescriptor): SourceAccess {
  const access = sourceAccess(deps, accountId, source);
  return { ...access, roots: [...access.roots, ...deps.places.outputRoots] };
}

/** One that was handed over is needed until its rows are pages. The batch goes on if it can't be deleted. */
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
