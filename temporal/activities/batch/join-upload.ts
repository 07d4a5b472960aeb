import { Context } from '@temporalio/activity';
import type { StepFailure } from '../../../api/upload/upload-steps';
import { differenceText, differingParts } from '../../client/input-digest';
import type { ForAccount, UploadMemo, UploadWorkflowResult } from '../../contract/upload';
import { leftBy, type Left } from '../../contract/earlier-run';
import { stepFailureOf } from '../../failure';
import type { ActivityDeps } from '../context/activity-deps';
import { isOpen } from '../../client/control-workflow';
import { describedWorkflow, stillRunning } from './described-workflow';
import { inRetryableActivity } from './in-retryable-activity';

type UploadWorkflow = () => Promise<UploadWorkflowResult>;
type Input = ForAccount<{ readonly workflowId: string; readonly inputDigest: string }>;

/** `left`: the upload was cancelled or terminated, and it can be started again with what it left. */
type JoinedUpload =
  { readonly result: UploadWorkflowResult } | { readonly failure: StepFailure } | { readonly left: Left };

/**
 * Waits for an upload that somebody else started, usually another run of the batch, and returns how it ended. While
 * the upload runs, each try ends as BENIGN and costs neither history nor a slot. An upload of something else is a
 * failure, `InputDiffers`.
 */
export function joinUpload(_deps: ActivityDeps) {
  return ({ workflowId, inputDigest }: Input): Promise<JoinedUpload> =>
    inRetryableActivity(async () => {
      const upload = await describedWorkflow(workflowId);
      if (upload === undefined) return { left: {} };
      const memo: UploadMemo = upload.memo ?? {};
      const differing = differingParts(inputDigest, memo.inputDigest);
      if (differing.length > 0) return { failure: otherUpload(workflowId, differing) };
      if (isOpen(upload)) throw stillRunning('The upload that was joined', Context.current().info.attempt);
      switch (upload.status.name) {
        case 'CANCELLED':
        case 'TERMINATED':
          return { left: leftBy({ status: upload.status, memo }) };
        default:
          return await endOf(workflowId, upload.runId);
      }
    });
}

async function endOf(workflowId: string, runId: string): Promise<JoinedUpload> {
  const handle = Context.current().client.workflow.getHandle<UploadWorkflow>(workflowId, runId);
  try {
    return { result: await handle.result() };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowFailedError')
      return { failure: stepFailureOf(error) };
    throw error;
  }
}

function otherUpload(workflowId: string, differing: readonly string[]): StepFailure {
  return {
    code: 'InputDiffers',
    message: `The upload ${workflowId} already exists with ${differenceText(differing)}.`,
    facts: {
      outcome: 'refused',
      details: { workflowId, differs: differing.join(', ') },
      hint: 'Give the row another id.',
    },
  };
}
