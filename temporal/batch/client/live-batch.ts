import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { BATCH_PROGRESS_QUERY } from '../types';
import type { BatchCounts, BatchProgress, PageMemo, PageProgress } from '../types';
import { addCounts, withWaiting } from '../counts';
import type { TemporalConnection } from '../../client/connect';
import { queryWorkflow } from '../../client/query-workflow';
import { isCancelling } from '../../client/list-executions';
import { findWaitReason, payloadReader, waitReasonOf } from '../../client/wait-reason';
import type { PayloadReader, WaitReason } from '../../client/wait-reason';

/** The progress of a batch, and what it waits for. */
export interface LiveBatch extends BatchProgress {
  /** What the batch waits for: its plan, its account, the batch's folder for one of its pages, or most of its rows. */
  readonly waitReason?: WaitReason;
}

/**
 * Asks a batch's root for its progress, and Temporal for that of its running pages. Rejects as `queryWorkflow` if the
 * root does not answer.
 */
export async function liveBatch(connection: TemporalConnection, handle: WorkflowHandle): Promise<LiveBatch> {
  const description = await handle.describe();
  const root = await queryWorkflow<BatchProgress>(connection, handle, BATCH_PROGRESS_QUERY);
  const pages = await describeAll(connection.client, root.pagesRunning);
  const [progress, obstacle] = await Promise.all([
    Promise.all(pages.map((page) => pageProgressIn(page, payloadReader(connection)))),
    findWaitReason(connection, description).then((held) => held ?? pagesWaitReason(connection, pages)),
  ]);
  const known = progress.filter((one) => one !== undefined);
  const held = obstacle ?? rowsWaitFor(known);
  const newest = newestCounts(root, known);
  // A page reports failures to the root at once, which may be before its first heartbeat.
  const counts = endedIn(newest) < endedIn(root.counts) ? root.counts : newest;
  const phase = isCancelling(description) && root.phase !== 'closing' ? 'cancelling' : root.phase;
  return { ...root, phase, counts, ...(held === undefined ? {} : { waitReason: held }) };
}

/** Adds the current counts of running pages to those of ended pages. All other rows of the plan wait. */
export function newestCounts(
  { counts: { rows }, ended }: Pick<BatchProgress, 'counts' | 'ended'>,
  pages: readonly PageProgress[],
): BatchCounts {
  const now = withWaiting({ ...pages.map((page) => page.counts).reduce(addCounts, ended), rows });
  // A page can end between the two answers.
  return { ...now, waiting: Math.max(0, now.waiting) };
}

function endedIn({ completed, failed, cancelled }: BatchCounts): number {
  return completed + failed + cancelled;
}

/** Why rows wait: the reason of the page with the largest number of waiting rows. */
function rowsWaitFor(pages: readonly PageProgress[]): WaitReason | undefined {
  const [largest] = pages.flatMap(({ waiting }) => waiting ?? []).sort((a, b) => b.steps - a.steps);
  if (largest === undefined) return undefined;
  const { reason, steps } = largest;
  const how = `${steps} ${steps === 1 ? 'row waits' : 'rows wait'}`;
  return waitReasonOf({ ...reason, message: `${how}: ${reason.message}` });
}

async function pagesWaitReason(
  connection: TemporalConnection,
  pages: readonly WorkflowExecutionDescription[],
): Promise<WaitReason | undefined> {
  for (const page of pages) {
    const obstacle = await findWaitReason(connection, page);
    if (obstacle !== undefined) return obstacle;
  }
  const [oldest] = await describeAll(connection.client, pages.flatMap(rowsOf).slice(0, 1));
  if (oldest === undefined) return undefined;
  const reason = await findWaitReason(connection, oldest);
  return reason && { ...reason, message: `The large file that began first waits: ${reason.message}` };
}

/** Workflow ids of a page's running rows, those that began first at the front. */
export function rowsOf({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): string[] {
  return [...(raw.pendingChildren ?? [])]
    .sort((a, b) => Number(a.initiatedId ?? 0) - Number(b.initiatedId ?? 0))
    .flatMap(({ workflowId }) => (workflowId == null || workflowId === '' ? [] : [workflowId]));
}

/** The workflows that Temporal can describe. A workflow can end or be removed at any moment. */
async function describeAll(
  client: TemporalConnection['client'],
  workflowIds: readonly string[],
): Promise<WorkflowExecutionDescription[]> {
  const looked = await Promise.allSettled(workflowIds.map((id) => client.workflow.getHandle(id).describe()));
  return looked.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
}

/**
 * The progress of a running page as Temporal knows it, without its worker: the last heartbeat of its activity, or the
 * memo of its workflow. Undefined: the page has not begun. Rejects if a codec key is missing.
 */
async function pageProgressIn(
  { raw, memo }: Pick<WorkflowExecutionDescription, 'raw' | 'memo'>,
  read: PayloadReader,
): Promise<PageProgress | undefined> {
  for (const { activityType, heartbeatDetails } of raw.pendingActivities ?? []) {
    if (activityType?.name !== 'uploadPage') continue;
    const [progress] = await read(heartbeatDetails?.payloads ?? []);
    // Only this package writes these heartbeats.
    if (progress !== undefined) return progress as PageProgress;
  }
  const { progress }: PageMemo = memo ?? {};
  return progress;
}
