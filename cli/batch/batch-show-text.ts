import type { MediaServiceError } from '../../api/errors';
import type { BatchCounts, BatchResult } from '../../temporal/contract/batch';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import type { HeldUp } from '../../temporal/client/held-up-by';
import { plainLine } from '../output/plain-text';
import { formatBytes } from '../output/units';
import { batchNameOf } from './batch-ids';
import { batchPhaseText, countsText, formatCount, percentOf, rowsText, withReasons } from './batch-text';
import type { FailedRow, FailureGroup } from './group-failures';

export interface BatchFacts {
  readonly workflowId: string;
  /** As Temporal calls it. */
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt?: Date;
  readonly manifest?: string;
  readonly folder: string;
  readonly counts?: BatchCounts;
  readonly progress?: LiveBatch;
  /** Why it waits while no worker answers. */
  readonly heldUpBy?: HeldUp;
  readonly result?: BatchResult;
  readonly error?: MediaServiceError;
  readonly failures: readonly FailureGroup[];
}

/** Several lines that tell a person where a batch stands. */
export function batchShowText(facts: BatchFacts): string {
  const { workflowId, counts, progress, result, failures, folder, manifest } = facts;
  const hint = (progress?.heldUpBy ?? facts.heldUpBy)?.hint;
  const name = batchNameOf(workflowId);
  const lines = [
    `${plainLine(name)}: ${stateText(facts)}`,
    ...(counts === undefined || counts.rows === 0
      ? []
      : [
          `  Rows: ${String(percentOf(counts))}% of ${rowsText(counts.rows)}: ${countsText(counts)}, ${formatBytes(counts.bytes)}`,
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
      : [`  Account: ${plainLine(`${result.account.csv} and ${result.account.jsonl}`)}`]),
    ...failureLines(failures),
    ...(hint === undefined ? [] : [`  What to do: ${plainLine(hint)} The batch then continues by itself.`]),
    ...nextLines(name, facts),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function stateText({ status, progress, heldUpBy, result, error }: BatchFacts): string {
  if (progress !== undefined) return batchPhaseText(progress);
  if (result !== undefined) return `ended, round ${String(result.round)}`;
  const words = status.toLowerCase().replaceAll('_', ' ');
  if (heldUpBy !== undefined) return withReasons(words, { heldUpBy });
  return error === undefined ? words : `${words}: ${plainLine(error.message)}`;
}

function timesText({ startedAt, closedAt }: BatchFacts): string {
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

function nextLines(name: string, { status, counts, progress, result, error }: BatchFacts): string[] {
  const commands: string[] = [];
  if (progress?.phase === 'paused') commands.push('resume');
  else if (progress !== undefined) commands.push('watch');
  if (result !== undefined && (counts?.failed ?? 0) + (counts?.cancelled ?? 0) > 0)
    commands.push('retry-failed');
  const next = commands.map((command) => `  Next: media-service batch ${command} ${name}`);
  if (status === 'RUNNING' || error?.facts.hint === undefined) return next;
  return [...next, `  What to do: ${plainLine(error.facts.hint)}`];
}
