import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { PageMemo, PageProgress } from '../../contract/batch';
import type { PayloadReader } from '../payload-reader';

/**
 * The progress of a running page as Temporal knows it, without its worker: the last heartbeat of its activity, or the
 * memo of its workflow. Undefined: the page has not begun. Rejects if a codec key is missing.
 */
export async function pageProgressIn(
  { raw, memo }: Pick<WorkflowExecutionDescription, 'raw' | 'memo'>,
  read: PayloadReader,
): Promise<PageProgress | undefined> {
  for (const { activityType, heartbeatDetails } of raw.pendingActivities ?? []) {
    if (activityType?.name !== 'uploadPage' && activityType?.name !== 'pollPage') continue;
    const [progress] = await read(heartbeatDetails?.payloads ?? []);
    if (isPageProgress(progress)) return progress;
  }
  const { progress }: PageMemo = memo ?? {};
  return progress;
}

/** Only this package writes these heartbeats. */
function isPageProgress(value: unknown): value is PageProgress {
  return typeof value === 'object' && value !== null && 'counts' in value;
}
