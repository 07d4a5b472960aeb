import { uploadWorkflowId } from '../upload/types';
import type { ForAccount } from '../upload/types';
import type { BatchResult } from './types';

export function batchWorkflowId(accountId: string, batchId: string): string {
  return `batch/${accountId}/${batchId}`;
}

/** Whether the id of a batch is already that of its workflow. */
export function isBatchWorkflowId(id: string): boolean {
  return id.startsWith('batch/');
}

/** Returns the name by which the user knows a batch: its id without the account. */
export function batchNameOf(workflowId: string): string {
  return workflowId.split('/').slice(2).join('/');
}

/** Each start of a batch has its own pages. `startedBy`: run id of the root's first run in this start. */
export function batchPageWorkflowId(
  batchWorkflow: string,
  { round, startedBy }: { readonly round: number; readonly startedBy: string },
  page: number,
): string {
  return `${batchWorkflow}/round-${String(round)}-${shortRunId(startedBy)}/page-${String(page)}`;
}

/** The random end of a run id. Its beginning is the time, so runs of the same minute begin alike. */
function shortRunId(runId: string): string {
  return runId.slice(-12);
}

/** A round of a batch. */
export type BatchRound = ForAccount<Pick<BatchResult, 'batchId' | 'round'>>;

/** An upload's ingest key within a batch. The same row of the same batch is the same upload. */
export function batchIngestKey(batchId: string, rowId: string): string {
  return `${batchId}/${rowId}`;
}

/** Id of the workflow that uploads a row, if the row has its own workflow. */
export function rowWorkflowId(accountId: string, batchId: string, rowId: string): string {
  return uploadWorkflowId(accountId, batchIngestKey(batchId, rowId));
}

const FAIRNESS_KEY_BYTES = 64;

/** Makes batches share workers equally. Temporal accepts no longer key. */
export function fairnessKeyOf(batchId: string): string {
  return batchId.slice(0, FAIRNESS_KEY_BYTES);
}
