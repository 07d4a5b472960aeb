import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../api/json';
import { startBatch } from '../../temporal/client/batch/start-batch';
import type { StartBatch } from '../../temporal/client/batch/start-batch';
import type { BatchHandle } from '../../temporal/client/batch/batch-handle';
import { batchPageWorkflowId } from '../../temporal/contract/batch-ids';
import type { AccountLine, BatchProgress } from '../../temporal/contract/batch';
import { until } from './until';
import type { UploadBed } from './upload-bed';

export interface BatchRow extends JsonObject {
  readonly id: string;
  readonly source: string;
}

/** Soon told of a cancel, but with time enough for many uploads on a busy machine: a step that does not beat in time is a lost one. */
export const HASTY = { heartbeatMs: 10_000, pollDelayMs: 100, startPauseMs: 100 };

/** Rows `<name>-0` … with a small file each. */
export async function writeRows(bed: UploadBed, name: string, count: number): Promise<BatchRow[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return Promise.all(
    numbers.map(async (number) => {
      const id = `${name}-${number}`;
      const source = join(bed.folder, `${id}.mp4`);
      await writeFile(source, `${id} ${'x'.repeat(1_000 + number)}`);
      return { id, source, title: `Film ${id}` };
    }),
  );
}

/** Starts a batch of rows in a folder of its own. */
export function startRows(
  bed: UploadBed,
  batchId: string,
  rows: readonly JsonObject[],
  change: Partial<StartBatch> = {},
): Promise<BatchHandle> {
  const { account, queuePrefix, connection } = bed;
  const { options, ...rest } = change;
  return startBatch(connection, {
    account,
    queuePrefix,
    batchId,
    manifest: { rows },
    folder: { kind: 'path', path: batchFolder(bed, batchId) },
    ...rest,
    options: { window: 8, pageRows: 5, ...options, upload: { ...HASTY, ...options?.upload } },
  });
}

export function batchFolder({ folder }: UploadBed, batchId: string): string {
  return join(folder, `batch-${batchId}`);
}

/** The lines of a batch's account. */
export async function accountOfBatch(bed: UploadBed, batchId: string): Promise<AccountLine[]> {
  const text = await readFile(join(batchFolder(bed, batchId), 'account.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AccountLine);
}

/** Workflow id of a page of a batch's latest start. */
export async function pageIdOf(
  { connection }: Pick<UploadBed, 'connection'>,
  workflowId: string,
  page: number,
  round = 1,
): Promise<string> {
  const { raw, runId } = await connection.client.workflow.getHandle(workflowId).describe();
  const startedBy = raw.workflowExecutionInfo?.firstRunId ?? runId;
  return batchPageWorkflowId(workflowId, { round, startedBy }, page);
}

/** How often each row has a completed session at the service, by title. */
export function completedTitles({ simulator }: UploadBed): Map<string, number> {
  const titles = new Map<string, number>();
  for (const { title, status } of simulator.seen().sessions) {
    if (title !== null && status === 'COMPLETED') titles.set(title, (titles.get(title) ?? 0) + 1);
  }
  return titles;
}

/** How rows ended, by id. */
export function statuses(lines: readonly AccountLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ id, status }) => [id, status]));
}

/** Resolves with the batch's progress once it is as `wanted` says. */
export function progressWhen(
  batch: BatchHandle,
  wanted: (progress: BatchProgress) => boolean,
): Promise<BatchProgress> {
  return until('the batch is as wanted', () => batch.progress(), wanted);
}
