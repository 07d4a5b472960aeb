import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import type { LoadedRow, SharedInput } from '../../activities/batch/load-page';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import type { StepFailure } from '../../../api/upload/upload-steps';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import type { EarlierSession } from '../../../api/upload/request/upload-request';
import { controlQueue, UPLOAD_WORKFLOW } from '../../contract';
import type { UploadMemo, UploadWorkflowInput, UploadWorkflowResult } from '../../contract';
import type { AccountLine } from '../../contract/batch';
import { fairnessKeyOf } from '../../contract/batch-ids';
import { stepFailureOf } from '../../failure';

/** An upload that was met again and again and was gone each time. */
const MOST_MEETINGS = 5;

type UploadWorkflow = (input: UploadWorkflowInput) => Promise<UploadWorkflowResult>;

export interface OwnUpload {
  readonly row: LoadedRow;
  /** Unset: the row's. */
  readonly source?: SourceDescriptor;
  readonly shared: SharedInput;
  readonly batchId: string;
  readonly steps: Pick<BatchActivities, 'joinUpload'>;
  /** The upload has begun here, or was found. */
  onBegun(): void;
}

/** `joined`: another run of the batch, or somebody else, uploaded it. `session`: what a row that failed or was cancelled leaves. */
export type RowEnd =
  | { readonly result: RowResult; readonly joined: boolean }
  | { readonly failure: StepFailure; readonly session?: EarlierSession };

/** What is known of a row that is completed. */
export type RowResult = Pick<
  AccountLine,
  'mediaId' | 'fileUrl' | 'fileType' | 'bytes' | 'eTags' | 'verified' | 'retries'
> &
  Pick<UploadWorkflowResult, 'uploadId' | 'orphans'>;

/**
 * Uploads one row as a child of its page, or joins the upload that exists under its key: a completed or running one is never repeated, a failed or
 * cancelled one is started again with the session that it left, which the upload reads first. Never rejects.
 */
export async function uploadInOwnWorkflow(upload: OwnUpload): Promise<RowEnd> {
  try {
    let earlier: EarlierSession | undefined;
    for (let meeting = 0; meeting < MOST_MEETINGS; meeting += 1) {
      const child = await start(upload, earlier);
      upload.onBegun();
      if (child !== undefined) return completedEnd(await child.result(), false);
      const joined = await join(upload);
      if ('failure' in joined) return joined;
      if ('result' in joined) return completedEnd(joined.result, true);
      earlier = joined.earlier;
    }
  } catch (error) {
    return { failure: stepFailureOf(error) };
  }
  return { failure: neverToBeHad(upload.row) };
}

/** Undefined where an upload of this key runs or has completed. */
async function start(
  { row, source, shared, batchId }: OwnUpload,
  earlier: EarlierSession | undefined,
): Promise<ChildWorkflowHandle<UploadWorkflow> | undefined> {
  if (row.upload === undefined) throw new Error('A row without an upload is not started.');
  const { input, inputDigest } = row.upload;
  const { ingestKey } = input;
  const whole: UploadWorkflowInput = {
    ...shared,
    ...input,
    ...(source === undefined ? {} : { source }),
    ...(earlier === undefined ? {} : { earlier }),
  };
  try {
    return await startChild<UploadWorkflow>(UPLOAD_WORKFLOW, {
      workflowId: row.workflowId,
      taskQueue: controlQueue(shared.queuePrefix, shared.account.accountId),
      args: [whole],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      memo: { inputDigest, label: row.label, ingestKey } satisfies UploadMemo,
      staticSummary: `Upload ${row.label} to ${shared.account.externalId}`,
      priority: { fairnessKey: fairnessKeyOf(batchId) },
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

export function completedEnd(
  { parts, uploadId, orphans, earlier, ...result }: UploadWorkflowResult,
  joined: boolean,
): RowEnd {
  const { mediaId, fileUrl, fileType, bytes, retries } = result;
  const row = {
    uploadId,
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(fileUrl === undefined ? {} : { fileUrl }),
    fileType,
    bytes,
    orphans,
  };
  if (earlier === true) return { joined: true, result: row };
  const eTags = parts.map(({ eTag }) => eTag);
  const verified = parts.every((part) => part.verified);
  return { joined, result: { ...row, eTags, verified, retries } };
}

function join({ row, shared, steps }: OwnUpload): ReturnType<BatchActivities['joinUpload']> {
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
