import type { WorkflowExecutionDescription } from '@temporalio/client';

/** As Temporal's protocol has it; the enum itself stands in a package that is not ours to install. */
const BENIGN = 1;

/** What the last try of a workflow's running step failed with; undefined where none has, or was only asked too early. */
export function heldUpBy({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): string | undefined {
  for (const { lastFailure } of raw.pendingActivities ?? []) {
    const isBenign = Number(lastFailure?.applicationFailureInfo?.category) === BENIGN;
    if (typeof lastFailure?.message === 'string' && !isBenign) return lastFailure.message;
  }
  return undefined;
}
