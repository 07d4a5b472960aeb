import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { labelOfSource } from '../../../api/upload/sources/source-rules';
import type { BatchActivities } from '../activities/index';
import type { OwnEnd } from '../activities/large-row';
import type { OwnRow } from '../activities/page-state';
import { fairnessKeyOf } from '../ids';
import { controlQueue, UPLOAD_WORKFLOW } from '../../upload/types';
import type { Left, UploadMemo, UploadWorkflowInput, UploadWorkflowResult } from '../../upload/types';
import { stepFailureOf } from '../../failure';

type UploadWorkflow = (input: UploadWorkflowInput) => Promise<UploadWorkflowResult>;

interface OwnUpload extends OwnRow {
  readonly batchId: string;
  readonly steps: Pick<BatchActivities, 'joinUpload'>;
  /** Called when the upload has begun here, or was found. */
  onBegun(): void;
}

/**
 * Uploads one row as a child of its page, or joins the upload under its key. A completed or running upload is never
 * repeated. A failed or cancelled upload is started again with the session that it left, which the upload reads first.
 * Never rejects.
 */
export async function uploadInOwnWorkflow(own: OwnUpload): Promise<OwnEnd> {
  const { workflowId } = own.name;
  const { accountId } = own.upload.account;
  try {
    let left: Left = {};
    for (;;) {
      const child = await start(own, left);
      own.onBegun();
      if (child !== undefined) return { result: await child.result(), joined: false };
      const joined = await own.steps.joinUpload({ accountId, workflowId, inputDigest: own.inputDigest });
      if ('failure' in joined) return joined;
      if ('result' in joined) return { result: joined.result, joined: true };
      left = joined.left;
    }
  } catch (error) {
    return { failure: stepFailureOf(error) };
  }
}

/** Undefined if an upload with this key runs or has completed. */
async function start(
  { name, upload, inputDigest, batchId }: OwnUpload,
  left: Left,
): Promise<ChildWorkflowHandle<UploadWorkflow> | undefined> {
  const { account, queuePrefix, ingestKey, source } = upload;
  const label = labelOfSource(source);
  try {
    return await startChild<UploadWorkflow>(UPLOAD_WORKFLOW, {
      workflowId: name.workflowId,
      taskQueue: controlQueue(queuePrefix, account.accountId),
      args: [{ ...upload, ...left }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      memo: { inputDigest, label, ingestKey } satisfies UploadMemo,
      staticSummary: `Upload ${label} to ${account.externalId}`,
      priority: { fairnessKey: fairnessKeyOf(batchId) },
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}
