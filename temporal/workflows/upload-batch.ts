import {
  CancellationScope,
  CancelledFailure,
  continueAsNew,
  isCancellation,
  setWorkflowOptions,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { MediaServiceError } from '../../api/errors';
import { applicationFailureOf } from '../application-failure';
import { BATCH_INPUT_SCHEMA } from '../contract/batch';
import type { BatchInput, BatchMemo, BatchResult } from '../contract/batch';
import { stepFailureOf } from '../failure';
import { BatchRun } from './batch/batch-run';
import { refuseNewerSchema } from './batch/refuse-newer-schema';

/**
 * Uploads all rows of a manifest: plan them into pages, keep a window of pages running, write the account. A batch with failed rows ends well. It can be
 * started again at any time under the same id: what is completed is not repeated.
 *
 * What bounds the history: a page adds some events, rows add none, and the root continues as new when Temporal suggests it; pages that run
 * then go on and are waited for by the next run.
 */
export async function uploadBatch(input: BatchInput): Promise<BatchResult> {
  refuseNewerSchema(input.schema, BATCH_INPUT_SCHEMA);
  const batch = new BatchRun(input);
  let carried;
  try {
    await batch.plan();
    carried = await batch.upload();
  } catch (error) {
    throw isCancellation(error) ? await cancelled(batch) : failureOf(error);
  }
  if (carried !== undefined) await continueAsNew<typeof uploadBatch>({ ...input, carried });
  return CancellationScope.nonCancellable(() => batch.close());
}

// It may run for weeks: with worker versioning it goes on with the current build, while each page and upload ends on its own. Without, a server refuses
// the wish.
setWorkflowOptions(
  () =>
    (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === ''
      ? {}
      : { versioningBehavior: 'AUTO_UPGRADE' },
  uploadBatch,
);

/** Ends in order: the pages first, then the account. */
async function cancelled(batch: BatchRun): Promise<Error> {
  const message = await CancellationScope.nonCancellable(async () => {
    if (!batch.isPlanned) return 'the batch was cancelled before anything was uploaded';
    await batch.stop();
    const { counts, account } = await batch.close();
    return (
      `the batch was cancelled: ${String(counts.completed)} of ${String(counts.rows)} rows are completed, ${String(counts.failed)} failed, ` +
      `${String(counts.cancelled)} cancelled or never begun; the account lies in ${account.jsonl}`
    );
  });
  const hint = 'Start the batch again to go on: what is completed is not repeated.';
  upsertMemo({ cancelled: { message, hint } } satisfies BatchMemo);
  return new CancelledFailure(message);
}

/** A step that failed for good, the plan above all, as a typed failure. */
function failureOf(error: unknown): Error {
  const { code, message, facts } = stepFailureOf(error);
  return applicationFailureOf(new MediaServiceError(code, message, facts));
}
