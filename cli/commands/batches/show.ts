import { given } from '../../../api/json';
import type { Command } from 'commander';
import { adviceText, shown, shownError, whatToDoAbout } from '../../errors/what-to-do';
import { MediaServiceError } from '../../../api/errors';
import type { Settings } from '../../../settings/settings';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { readBatchListing } from '../../../temporal/batch/client/list-batches';
import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import { openBatch, readBatchInput } from '../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../temporal/batch/client/live-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { progressOf } from '../../../temporal/client/run-handle';
import type { WaitReason } from '../../../temporal/client/wait-reason';
import type { BatchResult, ResultLine } from '../../../temporal/batch/types';
import { isReadableHere, resultsSoFar, withBatch, withBatchFolder } from '../../batch/batch-folder';
import type { NamedBatch } from '../../batch/batch-folder';
import { endStatus } from './list';
import type { CliContext } from '../../context';
import { addHelp } from '../../context';
import { formatBytes, plainLine } from '../../output/plain-text';
import { countsText, percentText, rowsText, withReasonsText } from '../../batch/batch-text';
import { batchNameOf } from '../../../temporal/batch/ids';

export function addBatchesShow(batches: Command, context: CliContext): void {
  const command = batches
    .command('show')
    .description('Show the state of a batch, the location of its results, and why rows failed.')
    .argument('<id>', 'as `batches start` and `batches list` show it');
  addHelp(
    command,
    "Prints counts, where manifest and results are, and failed rows grouped by what to do; with --json one object. Failures are read from the batch's folder if it is readable here.",
    [
      'media-service batches show harbour-1a2b3c4d',
      'media-service batches show harbour-1a2b3c4d --json | jq .counts.failed',
    ],
  ).action(async (id: string) => {
    const batch = await withBatch(context, id, (named) => look(context, named));
    await context.terminal.answer(jsonOf(batch), batchShowText(batch));
  });
}

async function look(
  context: CliContext,
  { connection, settings, workflowId }: NamedBatch,
): Promise<ShownBatch> {
  const listing = await readBatchListing(connection, workflowId);
  const { folder, batchId } = await readBatchInput(connection, workflowId);
  const state = await stateOf(connection, listing, context.interrupts.first);
  const counts = state.progress?.counts ?? state.result?.counts ?? listing.counts;
  const failures = counts?.failed === 0 ? [] : await failuresIn(context, settings, { folder, batchId });
  return {
    ...listing,
    batchId,
    folder: folderText(folder, settings),
    ...given({ counts }),
    ...state,
    failures,
  };
}

type BatchState = Pick<ShownBatch, 'progress' | 'waitReason' | 'result' | 'error'>;

/** Enough to see what goes wrong; `batches results` shows all. */
const MAX_ROWS = 500;

/** The first failed rows, if the folder is readable here. The rest is worth showing without them. */
async function failuresIn(
  { terminal, interrupts, cwd }: CliContext,
  settings: Settings,
  { folder, batchId }: { folder: FileLocation; batchId: string },
): Promise<readonly FailureGroup[]> {
  if (!isReadableHere({ settings, folder })) return [];
  try {
    return await withBatchFolder({ settings, cwd, folder }, async (access) => {
      const failed: ResultLine[] = [];
      for await (const { result } of resultsSoFar({ access, folder, batchId }, interrupts.first))
        if (result?.status === 'FAILED' && failed.push(result) === MAX_ROWS) break;
      return groupFailures(failed);
    });
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    // A batch that is not planned yet has no folder.
    if (error.code !== 'SourceMissing')
      terminal.warn({ message: `the results can't be read here: ${error.message.replace(/\.$/, '')}` });
    return [];
  }
}

async function stateOf(
  connection: TemporalConnection,
  { workflowId, closedAt }: BatchListing,
  signal: AbortSignal,
): Promise<BatchState> {
  const handle = openBatch(connection, workflowId);
  try {
    if (closedAt === undefined) return await progressOf(handle);
    return { result: await handle.result(signal) };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    return { error };
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
    phase: phase ?? (listing.closedAt === undefined ? undefined : 'ended'),
    round: round ?? result?.round,
    pages,
    pagesDone,
    pausedBecause,
    waitReason: shown(waitReason),
    results: result?.results,
    error: error && shownError({ code: error.code, message: error.message, hint: error.facts.hint }),
    failures,
  };
}

/** Everything that is known about a batch. */
export interface ShownBatch extends Omit<BatchListing, 'runId'> {
  readonly folder: string;
  /** Set while it runs. */
  readonly progress?: LiveBatch;
  /** Set if the batch as a whole ended well. */
  readonly result?: BatchResult;
  /** Why the batch waits while no worker answers. */
  readonly waitReason?: WaitReason;
  /** Why it failed or was cancelled as a whole, or why its workflow did not answer. */
  readonly error?: MediaServiceError;
  readonly failures: readonly FailureGroup[];
}

/** Returns several lines for people about the state of a batch. */
export function batchShowText(facts: ShownBatch): string {
  const { workflowId, counts, progress, result, failures, folder, manifest, startedAt, closedAt } = facts;
  const hint = adviceText(progress?.waitReason ?? facts.waitReason);
  const name = batchNameOf(workflowId);
  const rows = counts === undefined || counts.rows === 0 ? undefined : counts;
  const labelled = (label: string, text: string | undefined): string[] =>
    text === undefined ? [] : [`  ${label}: ${plainLine(text)}`];
  const lines = [
    `${plainLine(name)}: ${stateText(facts)}`,
    ...labelled(
      'Rows',
      rows &&
        `${percentText(rows)} of ${rowsText(rows.rows)}: ${countsText(rows)}, ${formatBytes(rows.bytes)}`,
    ),
    `  Started ${startedAt.toISOString()}${closedAt === undefined ? '' : `, ended ${closedAt.toISOString()}`}`,
    ...labelled('Manifest', manifest),
    ...labelled('Folder', folder),
    ...labelled('Results', result && `${result.results.csv} and ${result.results.jsonl}`),
    ...failureLines(failures),
    ...labelled('What to do', hint && `${hint} The batch then continues by itself.`),
    ...nextLines(name, facts),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function stateText({ status, progress, waitReason, result, error }: ShownBatch): string {
  if (progress !== undefined) {
    const { phase, pausedBecause, waitReason: waits } = progress;
    const reasons = { pausedBecause: phase === 'paused' ? pausedBecause : undefined, waitReason: waits };
    return withReasonsText(phase === 'closing' ? 'writing the results' : phase, reasons);
  }
  if (result !== undefined) return result.round === 1 ? 'ended' : `ended, round ${String(result.round)}`;
  const words = status.toLowerCase().replaceAll('_', ' ');
  if (waitReason !== undefined) return withReasonsText(words, { waitReason });
  return error === undefined ? words : `${words}: ${plainLine(error.message)}`;
}

function failureLines(failures: readonly FailureGroup[]): string[] {
  return failures.flatMap(({ code, rows, message, requestId, hint, examples }) => [
    `  Failed with ${code}: ${rowsText(rows)}`,
    `    ${plainLine(message)}`,
    ...(requestId === undefined ? [] : [`    Request id: ${plainLine(requestId)}`]),
    ...(hint === undefined ? [] : [`    What to do: ${plainLine(hint)}`]),
    ...examples.map((row) => {
      const own = row.message === message ? '' : `: ${row.message}`;
      return `    line ${row.line}: ${plainLine(`${row.source} (id ${row.id})${own}`)}`;
    }),
  ]);
}

function nextLines(name: string, { closedAt, counts, progress, result, error }: ShownBatch): string[] {
  const open = (counts?.failed ?? 0) + (counts?.cancelled ?? 0);
  const command = progress?.phase === 'paused' ? 'resume' : progress ? 'wait' : 'retry';
  const isDue = progress !== undefined || (result !== undefined && open > 0);
  const next = isDue ? [`  Next: media-service batches ${command} ${name}`] : [];
  const hint = whatToDoAbout(error);
  if (closedAt === undefined || hint === undefined) return next;
  return [...next, `  What to do: ${plainLine(hint)}`];
}

/** Failed rows with the same fix. */
interface FailureGroup {
  readonly code: string;
  /** Rows with this error among those read. Long results are not read completely. */
  readonly rows: number;
  /** The first row's message, request and advice. */
  readonly message: string;
  readonly requestId?: string;
  readonly hint?: string;
  /** The first ones. */
  readonly examples: readonly FailedRow[];
}

type FailedRow = Pick<ResultLine, 'line' | 'id' | 'source'> & { readonly message: string };

const EXAMPLES = 3;
const UNNAMED: NonNullable<ResultLine['error']> = {
  code: 'Internal',
  message: 'The results name no error for this row.',
};

/** Groups failed lines by error code and by what their hint names first, the most frequent group first. It ignores other lines. */
export function groupFailures(lines: readonly ResultLine[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const row of lines) {
    const { status, error, line, id, source } = row;
    if (status !== 'FAILED') continue;
    const { code, message, requestId, hint } = shownError(error ?? UNNAMED);
    const key = `${code} ${/\{\w+/.exec(error?.hint ?? '')?.[0] ?? ''}`;
    const group = groups.get(key) ?? { code, rows: 0, message, ...given({ requestId, hint }), examples: [] };
    const examples = [...group.examples, { line, id, source, message }].slice(0, EXAMPLES);
    groups.set(key, { ...group, rows: group.rows + 1, examples });
  }
  return [...groups.values()].sort((a, b) => b.rows - a.rows);
}
