import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import type { LoadedRow, SharedInput } from '../../activities/batch/load-page';
import type { LeftSession } from '../../activities/batch/left-session';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import type { Orphan, StepFailure } from '../../../api/upload/upload-steps';
import { DEFAULT_UPLOAD_OPTIONS } from '../../../api/upload/request/upload-request';
import { controlQueue, UPLOAD_WORKFLOW } from '../../contract';
import type { UploadMemo, UploadWorkflowInput, UploadWorkflowResult } from '../../contract';
import type { AccountLine } from '../../contract/batch';
import { stepFailureOf } from '../../failure';

/** An upload that was met again and again and was gone each time. */
const MOST_MEETINGS = 5;
const FAIRNESS_KEY_BYTES = 64;

type UploadWorkflow = (input: UploadWorkflowInput) => Promise<UploadWorkflowResult>;

export interface RowUpload {
  readonly row: LoadedRow;
  readonly shared: SharedInput;
  readonly batchId: string;
  readonly steps: Pick<BatchActivities, 'joinUpload' | 'settleSession'>;
  /** The upload has begun here, or was found. */
  onBegun(): void;
}

/** `joined`: another run of the batch, or somebody else, started it. */
type End = { readonly result: RowResult; readonly joined: boolean } | { readonly failure: StepFailure };
/** `left`: sessions that runs of the row before this one left at the service. */
export type RowEnd = End & { readonly left: readonly Orphan[] };

/** What is known of a row that is completed. */
export type RowResult = Pick<
  AccountLine,
  'mediaId' | 'fileUrl' | 'fileType' | 'bytes' | 'eTags' | 'verified' | 'retries'
> &
  Pick<UploadWorkflowResult, 'uploadId' | 'orphans'>;

/**
 * Uploads one row as a child, or joins the upload that exists under its key: a completed or running one is never repeated, a failed or
 * cancelled one is started again, unless its session is complete at the service all the same. Never rejects.
 */
export async function uploadRow(upload: RowUpload): Promise<RowEnd> {
  const orphans: Orphan[] = [];
  return { ...(await endOf(upload, orphans)), left: orphans };
}

async function endOf(upload: RowUpload, orphans: Orphan[]): Promise<End> {
  try {
    let left = upload.row.leftSession;
    for (let meeting = 0; meeting < MOST_MEETINGS; meeting += 1) {
      const settled = left === undefined ? undefined : await settle(upload, left);
      if (settled !== undefined && 'open' in settled) orphans.push(...settled.orphans);
      else if (settled !== undefined) return settled;
      const child = await start(upload);
      upload.onBegun();
      if (child !== undefined) return { result: resultOf(await child.result()), joined: false };
      const joined = await join(upload);
      if ('failure' in joined) return joined;
      if ('result' in joined) return { result: resultOf(joined.result), joined: true };
      left = joined.left;
    }
  } catch (error) {
    return { failure: stepFailureOf(error) };
  }
  return { failure: neverToBeHad(upload.row) };
}

/** Undefined where an upload of this key runs or has completed. */
async function start({
  row,
  shared,
  batchId,
}: RowUpload): Promise<ChildWorkflowHandle<UploadWorkflow> | undefined> {
  if (row.upload === undefined) throw new Error('A row without an upload is not started.');
  const { input, inputDigest } = row.upload;
  const { ingestKey } = input;
  const whole: UploadWorkflowInput = { ...shared, ...input };
  try {
    return await startChild<UploadWorkflow>(UPLOAD_WORKFLOW, {
      workflowId: row.workflowId,
      taskQueue: controlQueue(shared.queuePrefix, shared.account.accountId),
      args: [whole],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      memo: { inputDigest, label: row.label, ingestKey } satisfies UploadMemo,
      staticSummary: `Upload ${row.label} to ${shared.account.externalId}`,
      priority: { fairnessKey: batchId.slice(0, FAIRNESS_KEY_BYTES) },
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** `open`: the file is to be uploaded anew. */
async function settle(
  { shared, steps }: RowUpload,
  { uploadId, ...file }: LeftSession,
): Promise<End | { readonly open: true; readonly orphans: readonly Orphan[] }> {
  const { accountId } = shared.account;
  const limitMs = shared.options.processingLimitMs ?? DEFAULT_UPLOAD_OPTIONS.processingLimitMs;
  const settled = await steps.settleSession({ accountId, uploadId, limitMs });
  if ('open' in settled) return { open: true, orphans: settled.orphan === undefined ? [] : [settled.orphan] };
  return 'session' in settled
    ? { result: { ...file, ...settled.session, orphans: [] }, joined: true }
    : settled;
}

function resultOf({ parts, uploadId, orphans, ...result }: UploadWorkflowResult): RowResult {
  const { mediaId, fileUrl, fileType, bytes, retries } = result;
  return {
    uploadId,
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(fileUrl === undefined ? {} : { fileUrl }),
    fileType,
    bytes,
    eTags: parts.map(({ eTag }) => eTag),
    verified: parts.every(({ verified }) => verified),
    retries,
    orphans,
  };
}

function join({ row, shared, steps }: RowUpload): ReturnType<BatchActivities['joinUpload']> {
  const { workflowId, upload } = row;
  return steps.joinUpload({
    accountId: shared.account.accountId,
    workflowId,
    inputDigest: upload?.inputDigest ?? '',
  });
}

function neverToBeHad({ workflowId }: LoadedRow): StepFailure {
  return {
    code: 'Internal',
    message: `The upload ${workflowId} is started and cancelled by somebody else again and again.`,
    facts: {},
  };
}
