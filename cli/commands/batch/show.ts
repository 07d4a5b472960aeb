import type { Command } from 'commander';
import { adviceOf, shownWait } from '../../../api/advice';
import { CLI_WORDS } from '../../errors/cli-words';
import { shownError } from '../../errors/what-to-do';
import { MediaServiceError } from '../../../api/errors';
import type { Settings } from '../../../settings/settings';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { readBatchListing } from '../../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import { openBatch, readBatchInput } from '../../../temporal/batch/client/open-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { waitReasonOf } from '../../../temporal/client/wait-reason';
import type { ResultLine } from '../../../temporal/batch/types';
import { withBatch } from '../../batch/batch-ids';
import type { NamedBatch } from '../../batch/batch-ids';
import { endStatus } from '../../batch/listed-batch';
import { batchShowText } from '../../text/batch-show-text';
import type { ShownBatch } from '../../text/batch-show-text';
import { isReadableHere, withBatchFolder } from '../../batch/with-batch-folder';
import type { FolderUse } from '../../batch/with-batch-folder';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { plainLine } from '../../output/plain-text';
import { countsSoFar, resultsSoFar } from '../../batch/results-so-far';
import type { BatchFolder } from '../../batch/results-so-far';
import { groupFailures } from '../../batch/group-failures';
import type { FailureGroup } from '../../batch/group-failures';

export function addBatchShow(batch: Command, context: CliContext): void {
  const command = batch
    .command('show')
    .description('Show the state of a batch, the location of its results, and why rows failed.')
    .argument('<id>', 'as `batch start` and `batch list` show it');
  addHelp(command, {
    output:
      'Counts, pages, file locations, and failed rows grouped by what to do. --json: {"workflowId","batchId","status","phase",' +
      '"round","counts","pages","pagesDone","pausedBecause","waitReason":{"code","message","hint"},"startedAt",' +
      '"closedAt","manifest","folder","results","error","failures":[{"code","rows","message","hint","examples":[{"line","id",' +
      '"source","message"}]}]}. Failures are read from the folder if it is readable here. If no worker responds, ' +
      '"waitReason" says so, and "counts" come from the folder.',
    exits: ['CONFIGURATION', 'SERVICE', 'TEMPORAL'],
    examples: [
      { says: 'How far is it?', run: 'media-service batch show harbour-1a2b3c4d' },
      {
        says: 'Number of failed rows',
        run: 'media-service batch show harbour-1a2b3c4d --json | jq .counts.failed',
      },
    ],
  }).action((id: string, flags: { readonly json?: boolean }) => show(context, id, flags.json === true));
}

async function show(context: CliContext, id: string, json: boolean): Promise<void> {
  const shown = await withBatch(context, id, (batch) => look(context, batch));
  if (json) await context.terminal.json(jsonOf(shown));
  else await context.terminal.data(batchShowText(shown));
}

async function look(
  context: CliContext,
  { connection, settings, workflowId }: NamedBatch,
): Promise<ShownBatch> {
  const listing = await readBatchListing(connection, workflowId);
  const { folder, batchId, retryFailed } = await readBatchInput(connection, workflowId);
  const state = await stateOf(connection, listing, context.interrupts.first);
  const use = { settings, cwd: context.cwd, folder };
  // The first worker creates the folder of a batch. A batch that could not be planned has none.
  const mayBeMissing = state.waitReason !== undefined || state.error !== undefined;
  const at = { use, batchId, mayBeMissing };
  const written =
    state.waitReason === undefined
      ? undefined
      : await inFolder(context, at, (batch, signal) => countsSoFar(batch, { retryFailed, signal }));
  const counts = state.progress?.counts ?? state.result?.counts ?? written ?? listing.counts;
  const failures = counts?.failed === 0 ? [] : await inFolder(context, at, firstFailures);
  return {
    ...listing,
    batchId,
    folder: folderText(folder, settings),
    ...(counts === undefined ? {} : { counts }),
    ...state,
    failures: failures ?? [],
  };
}

interface ReadFolder {
  readonly use: FolderUse;
  readonly batchId: string;
  /** True: a missing folder is expected. */
  readonly mayBeMissing: boolean;
}

const MISSING: ReadonlySet<string> = new Set(['SourceMissing', 'SourceUnavailable']);

/** A part that can't be read here is left out and reported, because the rest is worth showing. */
async function inFolder<T>(
  { terminal, interrupts }: CliContext,
  { use, batchId, mayBeMissing }: ReadFolder,
  read: (batch: BatchFolder, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (!isReadableHere(use)) return undefined;
  try {
    return await withBatchFolder(use, (access) =>
      read({ access, folder: use.folder, batchId }, interrupts.first),
    );
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    if (mayBeMissing && MISSING.has(error.code)) return undefined;
    terminal.note(plainLine(`The results can't be read here: ${error.message}`));
    return undefined;
  }
}

async function stateOf(
  connection: TemporalConnection,
  { workflowId, status }: BatchListing,
  signal: AbortSignal,
): Promise<Pick<ShownBatch, 'progress' | 'waitReason' | 'result' | 'error'>> {
  const handle = openBatch(connection, workflowId);
  try {
    if (status === 'RUNNING') return { progress: await handle.progress() };
    return { result: await handle.result(signal) };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return error.code === 'NoWorker' ? { waitReason: waitReasonOf(error) } : { error };
  }
}

function folderText(folder: FileLocation, { host }: Settings): string {
  const there = folder.kind === 'path' ? (folder.host ?? host) : host;
  return locationText(folder) + (there === host ? '' : ` on ${there}`);
}

function jsonOf({ progress, result, error, failures, ...listing }: ShownBatch): object {
  const { phase, round, pages, pagesDone, pausedBecause, waitReason = listing.waitReason } = progress ?? {};
  return {
    ...listing,
    status: endStatus(listing),
    phase: phase ?? (listing.status === 'RUNNING' ? undefined : 'ended'),
    round: round ?? result?.round,
    pages,
    pagesDone,
    pausedBecause,
    waitReason: shownWait(CLI_WORDS, waitReason),
    results: result?.results,
    ...(error === undefined
      ? {}
      : { error: shownError({ code: error.code, message: error.message, ...adviceOf(error.facts) }) }),
    failures,
  };
}

/** Enough to see what goes wrong; `batch report` shows all. */
const MAX_ROWS = 500;

/** Returns the first failed rows of a batch in the manifest's order, grouped by their errors. */
async function firstFailures(batch: BatchFolder, signal?: AbortSignal): Promise<FailureGroup[]> {
  const failed: ResultLine[] = [];
  for await (const { result } of resultsSoFar(batch, signal)) {
    if (result?.status === 'FAILED' && failed.push(result) === MAX_ROWS) break;
  }
  return groupFailures(failed);
}
