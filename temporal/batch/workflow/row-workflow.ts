import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { labelOfSource } from '../../../api/upload/sources/source-rules';
import type { UploadResult } from '../../../api/upload/types';
import type { EndedOwn, EndedRow } from '../activities/large-row';
import type { OwnRow } from '../activities/page-state';
import { fairnessKeyOf } from '../ids';
import { controlQueue, UPLOAD_WORKFLOW } from '../../upload/types';
import type { Left, UploadMemo, UploadWorkflowInput } from '../../upload/types';

type UploadWorkflow = (input: UploadWorkflowInput) => Promise<UploadResult>;

interface OwnUpload extends OwnRow {
  readonly batchId: string;
  /** Called when the upload has begun here, or was found. */
  onBegun(): void;
  /** Waits for the end of the upload and writes it down. */
  end(how: { readonly joined: boolean }): Promise<EndedRow>;
}

/**
 * Uploads one row as a child of its page, or joins the upload under its key. A completed or running upload is never
 * repeated. A failed or cancelled upload is started again with the session that it left, which the upload reads first.
 * Rejects only if it is cancelled before it begins, or while it waits for an upload of somebody else.
 */
export async function uploadInOwnWorkflow(own: OwnUpload): Promise<EndedOwn> {
  for (let left: Left = {}; ;) {
    const child = await start(own, left);
    own.onBegun();
    // The next step reads how it ended.
    await child?.result().catch(() => undefined);
    const ended = await (child === undefined
      ? own.end({ joined: true })
      : CancellationScope.nonCancellable(() => own.end({ joined: false })));
    if ('line' in ended) return ended;
    left = ended.left;
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
