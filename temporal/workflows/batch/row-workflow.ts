import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { given } from '../../../api/json';
import type { LoadedRow, SharedInput } from '../../batch/loaded-row';
import type { BatchActivities } from '../../activities/batch/batch-activities';
import type { StepFailure } from '../../../api/upload/upload-steps';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { labelOfSource } from '../../../api/upload/sources/source-rules';
import type { EarlierSession } from '../../../api/upload/request/upload-request';
import { controlQueue, UPLOAD_WORKFLOW } from '../../contract/upload';
import type { UploadMemo, UploadWorkflowInput, UploadWorkflowResult } from '../../contract/upload';
import type { ResultLine } from '../../contract/batch';
import type { Left } from '../../contract/earlier-run';
import { batchIngestKey, fairnessKeyOf, rowWorkflowId } from '../../contract/batch-ids';
import { stepFailureOf } from '../../failure';

/** How often it tries to join an upload that was gone each time. */
const MAX_MEETINGS = 5;

type UploadWorkflow = (input: UploadWorkflowInput) => Promise<UploadWorkflowResult>;

interface OwnUpload {
  readonly row: LoadedRow;
  /** Unset: the row's source. */
  readonly source?: SourceDescriptor;
  readonly shared: SharedInput;
  readonly batchId: string;
  readonly steps: Pick<BatchActivities, 'joinUpload'>;
  /** Called when the upload has begun here, or was found. */
  onBegun(): void;
}

/**
 * `joined`: another run of the batch, or somebody else, uploaded the row. `session`: what a failed or cancelled row
 * left.
 */
export type RowEnd =
  | { readonly result: RowResult; readonly joined: boolean }
  | { readonly failure: StepFailure; readonly session?: EarlierSession };

/** What is known of a completed row. */
type RowResult = Pick<
  ResultLine,
  'mediaId' | 'fileUrl' | 'fileType' | 'bytes' | 'eTags' | 'verified' | 'retries'
> &
  Pick<UploadWorkflowResult, 'uploadId' | 'orphans'>;

/**
 * Uploads one row as a child of its page, or joins the upload under its key. A completed or running upload is never
 * repeated. A failed or cancelled upload is started again with the session that it left, which the upload reads first.
 * Never rejects.
 */
export async function uploadInOwnWorkflow(upload: OwnUpload): Promise<RowEnd> {
  try {
    let left: Left = {};
    for (let meeting = 0; meeting < MAX_MEETINGS; meeting += 1) {
      const child = await start(upload, left);
      upload.onBegun();
      if (child !== undefined) return completedEnd(await child.result(), false);
      const joined = await join(upload);
      if ('failure' in joined) return joined;
      if ('result' in joined) return completedEnd(joined.result, true);
      left = joined.left;
    }
  } catch (error) {
    return { failure: stepFailureOf(error) };
  }
  return { failure: neverToBeHad(workflowIdOf(upload)) };
}

/** Undefined if an upload with this key runs or has completed. */
async function start(
  upload: OwnUpload,
  left: Left,
): Promise<ChildWorkflowHandle<UploadWorkflow> | undefined> {
  const { row, source, shared, batchId } = upload;
  if (row.upload === undefined) throw new Error('A row without an upload is not started.');
  const { input, inputDigest } = row.upload;
  const ingestKey = batchIngestKey(batchId, row.id);
  const label = labelOfSource(input.source);
  const whole: UploadWorkflowInput = {
    ...shared,
    ...input,
    ingestKey,
    ...(source === undefined ? {} : { source }),
    ...left,
  };
  try {
    return await startChild<UploadWorkflow>(UPLOAD_WORKFLOW, {
      workflowId: workflowIdOf(upload),
      taskQueue: controlQueue(shared.queuePrefix, shared.account.accountId),
      args: [whole],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      memo: { inputDigest, label, ingestKey } satisfies UploadMemo,
      staticSummary: `Upload ${label} to ${shared.account.externalId}`,
      priority: { fairnessKey: fairnessKeyOf(batchId) },
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

export function completedEnd(
  { parts, earlier, retries, mediaId, fileUrl, uploadId, fileType, bytes, orphans }: UploadWorkflowResult,
  joined: boolean,
): RowEnd {
  const row = { uploadId, ...given({ mediaId, fileUrl }), fileType, bytes, orphans };
  if (earlier === true) return { joined: true, result: row };
  const eTags = parts.map(({ eTag }) => eTag);
  const verified = parts.every((part) => part.verified);
  return { joined, result: { ...row, eTags, verified, retries } };
}

function join(upload: OwnUpload): ReturnType<BatchActivities['joinUpload']> {
  return upload.steps.joinUpload({
    accountId: upload.shared.account.accountId,
    workflowId: workflowIdOf(upload),
    inputDigest: upload.row.upload?.inputDigest ?? '',
  });
}

function workflowIdOf({ row, shared, batchId }: OwnUpload): string {
  return rowWorkflowId(shared.account.accountId, batchId, row.id);
}

function neverToBeHad(workflowId: string): StepFailure {
  return {
    code: 'Internal',
    message: `Somebody else starts and cancels the upload ${workflowId} again and again.`,
    facts: {},
  };
}
