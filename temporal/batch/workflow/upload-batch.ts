import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  setWorkflowOptions,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { applicationFailureOf } from '../../application-failure';
import type { BatchInput, BatchMemo, BatchResult } from '../types';
import { errorOfFailure } from '../../failure';
import { BatchRun } from './batch-run';

/**
 * Uploads all rows of a manifest: plans them into pages, keeps several pages running, and writes the results. A batch
 * with failed rows still ends well. It can be started again at any time under the same id, and completed rows are not
 * repeated.
 *
 * Bounds of the history: a page adds about ten events, rows add none. A plan has at most `MAX_PAGES` pages. It never
 * continues as new.
 */
export async function uploadBatch(input: BatchInput): Promise<BatchResult> {
  const batch = new BatchRun(input);
  try {
    await batch.plan();
    await batch.upload();
  } catch (error) {
    throw isCancellation(error) ? await cancelled(batch) : applicationFailureOf(errorOfFailure(error));
  }
  return CancellationScope.nonCancellable(() => batch.close());
}

// A batch may run for weeks. With worker versioning, it continues with the current build, while each page and upload
// ends on its own build. A server without versioning refuses the option.
setWorkflowOptions(
  () =>
    (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') === ''
      ? {}
      : { versioningBehavior: 'AUTO_UPGRADE' },
  uploadBatch,
);

/** Ends the pages first, then writes the results. */
async function cancelled(batch: BatchRun): Promise<Error> {
  const message = await CancellationScope.nonCancellable(async () => {
    if (!batch.isPlanned) return 'the batch was cancelled before anything was uploaded';
    await batch.stop();
    const { counts, results } = await batch.close();
    return (
      `the batch was cancelled: ${String(counts.completed)} of ${String(counts.rows)} rows are completed, ${String(counts.failed)} failed, ` +
      `${String(counts.cancelled)} cancelled or never begun; the results are in ${results.jsonl}`
    );
  });
  const hint = 'Start the batch again to continue: completed rows are not repeated.';
  upsertMemo({ cancelled: { message, hint } } satisfies BatchMemo);
  return new CancelledFailure(message);
}
