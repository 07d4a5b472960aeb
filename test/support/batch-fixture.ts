import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonObject } from '../../api/json';
import { startBatch } from '../../temporal/batch/client/start-batch';
import { MAX_ROWS_BYTES } from '../../temporal/batch/client/batch-input';
import type { StartBatch } from '../../temporal/batch/client/batch-input';
import type { LiveBatch } from '../../temporal/batch/client/live-batch';
import type { BatchHandle } from '../../temporal/batch/client/open-batch';
import { plannedRow } from '../../temporal/batch/files/planned-row';
import { batchPageWorkflowId } from '../../temporal/batch/ids';
import type { BatchProgress, ResultLine } from '../../temporal/batch/types';
import { sealKeysOf } from '../../temporal/seal';
import { LONG_LIMIT_MS, until } from './until';
import { unlessBusy } from './upload-fixture';
import type { UploadFixture } from './upload-fixture';

export interface BatchRow extends JsonObject {
  readonly id: string;
  readonly source: string;
}

/**
 * Learns of a cancel soon, but leaves time for many uploads on a busy machine: a step without a heartbeat in time
 * counts as lost.
 */
export const HASTY = { heartbeatMs: 10_000, pollDelayMs: 100, startPauseMs: 100 };

/** Files of at least this size are not sent with their start. */
export const LARGE_BYTES = 1024 * 1024;

/** Writes rows `<name>-0` … with a small file each. */
export async function writeRows(
  fixture: UploadFixture,
  name: string,
  count: number,
  bytes = 1_000,
): Promise<BatchRow[]> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return Promise.all(
    numbers.map(async (number) => {
      const id = `${name}-${number}`;
      const source = join(fixture.folder, `${id}.mp4`);
      await writeFile(source, `${id} ${'x'.repeat(bytes + number)}`);
      return { id, source, title: `Film ${id}` };
    }),
  );
}

/** Moves the files of rows to a folder of their own, as on a share or as one that a worker may not read. */
export async function movedTo(folder: string, rows: readonly BatchRow[]): Promise<BatchRow[]> {
  await mkdir(folder, { recursive: true });
  const moved = rows.map((row) => ({ ...row, source: join(folder, basename(row.source)) }));
  await Promise.all(rows.map(({ source }) => rename(source, join(folder, basename(source)))));
  return moved;
}

/** Starts a batch of rows in a folder of its own. */
export function startRows(
  fixture: UploadFixture,
  batchId: string,
  rows: readonly JsonObject[],
  change: Partial<StartBatch> = {},
): Promise<BatchHandle> {
  const { account, queuePrefix, connection } = fixture;
  const { options, ...rest } = change;
  return startBatch(connection, {
    account,
    queuePrefix,
    batchId,
    manifest: { rows },
    folder: { kind: 'path', path: batchFolder(fixture, batchId) },
    ...rest,
    options: { parallelUploads: 8, pageRows: 5, ...options, upload: { ...HASTY, ...options?.upload } },
  });
}

/** As many rows as the input of a batch takes. Every key seals to the same length. */
export function rowsThatFit(): BatchRow[] {
  const keys = sealKeysOf('any');
  const rows: BatchRow[] = [];
  for (let bytes = 1; ;) {
    const row = { id: String(rows.length), source: `https://a.example/${rows.length}.mp4` };
    const { digest: _digest, ...sent } = plannedRow({ line: rows.length + 1, ...row, media: {} }, keys);
    bytes += Buffer.byteLength(JSON.stringify(sent)) + 1;
    if (bytes > MAX_ROWS_BYTES) return rows;
    rows.push(row);
  }
}

export function batchFolder({ folder }: UploadFixture, batchId: string): string {
  return join(folder, `batch-${batchId}`);
}

/** The lines of a batch's results. */
export async function resultsOfBatch(fixture: UploadFixture, batchId: string): Promise<ResultLine[]> {
  return resultLines(await readFile(join(batchFolder(fixture, batchId), 'results.jsonl'), 'utf8'));
}

export function resultLines(jsonl: string): ResultLine[] {
  const lines = jsonl.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as ResultLine);
}

/** Workflow ID of a page in a batch's latest start. */
export async function pageIdOf(
  { connection }: Pick<UploadFixture, 'connection'>,
  workflowId: string,
  page: number,
  round = 1,
): Promise<string> {
  const { raw, runId } = await connection.client.workflow.getHandle(workflowId).describe();
  const startedBy = raw.workflowExecutionInfo?.firstRunId ?? runId;
  return batchPageWorkflowId(workflowId, { round, startedBy }, page);
}

/** Number of completed sessions at the service for each row, by title. */
export function completedTitles({ simulator }: UploadFixture): Map<string, number> {
  const titles = new Map<string, number>();
  for (const { title, status } of simulator.seen().sessions) {
    if (title !== null && status === 'COMPLETED') titles.set(title, (titles.get(title) ?? 0) + 1);
  }
  return titles;
}

/** Each row was uploaded once. */
export function expectOnce(fixture: UploadFixture, rows: readonly BatchRow[]): void {
  const titles = completedTitles(fixture);
  expect(rows.map(({ id }) => [id, titles.get(`Film ${id}`)])).toEqual(rows.map(({ id }) => [id, 1]));
}

/** The status of each row, by ID. */
export function statuses(lines: readonly ResultLine[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ id, status }) => [id, status]));
}

/** Resolves with the batch's progress once `wanted` is true for it. A worker on a busy machine may answer later. */
export async function progressWhen(
  batch: BatchHandle,
  wanted: (progress: BatchProgress) => boolean,
): Promise<BatchProgress> {
  const look = (): Promise<BatchProgress | undefined> => batch.progress().catch(unlessBusy);
  const isWanted = (seen: BatchProgress | undefined): boolean => seen !== undefined && wanted(seen);
  const seen = await until('the batch is as wanted', look, isWanted, { limitMs: LONG_LIMIT_MS });
  return seen as BatchProgress;
}

/** Resolves with the batch's progress once it waits for something. */
export function untilWaiting(batch: BatchHandle): Promise<BatchProgress> {
  return progressWhen(batch, ({ waitReason }: LiveBatch) => waitReason !== undefined);
}

/** PENDING_ACTIVITY_STATE_CANCEL_REQUESTED. */
const CANCEL_REQUESTED = 3;

/** Resolves once the only running page has seen the pause, with a heartbeat. */
export async function untilPaused(fixture: UploadFixture, batch: BatchHandle): Promise<void> {
  const page = fixture.connection.client.workflow.getHandle(await pageIdOf(fixture, batch.workflowId, 0));
  const heartbeats = new Set<string>();
  await until(
    'the page has sent a heartbeat since it was paused',
    () => page.describe(),
    ({ raw: { pendingActivities } }) => {
      const [{ state, lastHeartbeatTime } = {}] = pendingActivities ?? [];
      if (Number(state) === CANCEL_REQUESTED) heartbeats.add(JSON.stringify(lastHeartbeatTime));
      return heartbeats.size > 1;
    },
    { limitMs: LONG_LIMIT_MS },
  );
}
