import { adviceText, whatToDoAbout } from '../errors/what-to-do';
import type { MediaServiceError } from '../../api/errors';
import type { BatchResult } from '../../temporal/batch/types';
import type { LiveBatch } from '../../temporal/batch/client/open-batch';
import type { BatchListing } from '../../temporal/batch/client/list-batches';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { plainLine } from '../output/plain-text';
import { formatBytes, formatCount } from '../output/units';
import { batchPhaseText, countsText, percentText, rowsText, withReasonsText } from './batch-text';
import type { FailedRow, FailureGroup } from '../batch/group-failures';
import { batchNameOf } from '../../temporal/batch/ids';

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
  const { workflowId, counts, progress, result, failures, folder, manifest } = facts;
  const hint = adviceText(progress?.waitReason ?? facts.waitReason);
  const name = batchNameOf(workflowId);
  const lines = [
    `${plainLine(name)}: ${stateText(facts)}`,
    ...(counts === undefined || counts.rows === 0
      ? []
      : [
          `  Rows: ${percentText(counts)} of ${rowsText(counts.rows)}: ${countsText(counts)}, ${formatBytes(counts.bytes)}`,
        ]),
    ...(progress === undefined || progress.pages === 0
      ? []
      : [
          `  Pages: ${formatCount(progress.pagesDone)} of ${formatCount(progress.pages)} done, round ${String(progress.round)}`,
        ]),
    `  ${timesText(facts)}`,
    ...(manifest === undefined ? [] : [`  Manifest: ${plainLine(manifest)}`]),
    `  Folder: ${plainLine(folder)}`,
    ...(result === undefined
      ? []
      : [`  Results: ${plainLine(`${result.results.csv} and ${result.results.jsonl}`)}`]),
    ...failureLines(failures),
    ...(hint === undefined ? [] : [`  What to do: ${plainLine(hint)} The batch then continues by itself.`]),
    ...nextLines(name, facts),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function stateText({ status, progress, waitReason, result, error }: ShownBatch): string {
  if (progress !== undefined) return batchPhaseText(progress);
  if (result !== undefined) return result.round === 1 ? 'ended' : `ended, round ${String(result.round)}`;
  const words = status.toLowerCase().replaceAll('_', ' ');
  if (waitReason !== undefined) return withReasonsText(words, { waitReason });
  return error === undefined ? words : `${words}: ${plainLine(error.message)}`;
}

function timesText({ startedAt, closedAt }: ShownBatch): string {
  const ended = closedAt === undefined ? '' : `, ended ${closedAt.toISOString()}`;
  return `Started ${startedAt.toISOString()}${ended}`;
}

function failureLines(failures: readonly FailureGroup[]): string[] {
  return failures.flatMap(({ code, rows, message, hint, examples }) => [
    `  Failed with ${code}: ${rowsText(rows)}`,
    `    ${plainLine(message)}`,
    ...(hint === undefined ? [] : [`    What to do: ${plainLine(hint)}`]),
    ...examples.map((row) => `    line ${String(row.line)}: ${plainLine(rowText(row, message))}`),
  ]);
}

function rowText({ id, source, message }: FailedRow, known: string): string {
  return `${source} (id ${id})${message === known ? '' : `: ${message}`}`;
}

function nextLines(name: string, { status, counts, progress, result, error }: ShownBatch): string[] {
  const commands: string[] = [];
  if (progress?.phase === 'paused') commands.push('resume');
  else if (progress !== undefined) commands.push('watch');
  if (result !== undefined && (counts?.failed ?? 0) + (counts?.cancelled ?? 0) > 0)
    commands.push('retry-failed');
  const next = commands.map((command) => `  Next: media-service batch ${command} ${name}`);
  const hint = whatToDoAbout(error);
  if (status === 'RUNNING' || hint === undefined) return next;
  return [...next, `  What to do: ${plainLine(hint)}`];
}
