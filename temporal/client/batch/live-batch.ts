import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { PROGRESS_QUERY, type WorkflowProgress } from '../../contract/upload';
import { BATCH_PROGRESS_QUERY } from '../../contract/batch';
import type { BatchCounts, BatchProgress, PageProgress } from '../../contract/batch';
import { addCounts, withWaiting } from '../../contract/batch-counts';
import type { TemporalConnection } from '../connect';
import { queryWorkflow } from '../query-workflow';
import { lookOver, findWaitReason, waitReasonOf, type WaitReason, type Look } from '../wait-reason';
import { payloadReader } from '../payload-reader';
import type { LiveBatch } from './batch-handle';
import { pageProgressIn } from './page-progress';

/**
 * Only this number of running pages is asked what they wait for: those that began first. All pages share the batch's
 * folder, so they wait for the same reason.
 */
const MAX_PAGES_LOOKED_AT = 16;

/** Only this number of running rows is checked: those that began first, because they have had the most tries. */
const MAX_ROWS_LOOKED_AT = 5;

/**
 * Asks a batch's root for its progress, and Temporal for that of its running pages. Rejects as `queryWorkflow` if the
 * root does not answer. `by`: epoch ms.
 */
export async function liveBatch(
  connection: TemporalConnection,
  handle: WorkflowHandle,
  by?: number,
): Promise<LiveBatch> {
  const description = await handle.describe();
  const { taskQueue } = description;
  const root = await queryWorkflow<BatchProgress>(connection, handle, {
    name: BATCH_PROGRESS_QUERY,
    taskQueue,
    by,
  });
  const look = lookOver(connection);
  const pages = await describeAll(connection.client, root.pagesRunning);
  const [progress, obstacle] = await Promise.all([
    Promise.all(pages.map((page) => pageProgressIn(page, payloadReader(connection)))),
    findWaitReason(description, look).then(
      (held) => held ?? pagesWaitReason(connection, pages, { look, by }),
    ),
  ]);
  const known = progress.filter((one) => one !== undefined);
  const held = obstacle ?? rowsWaitFor(known);
  const newest = newestCounts(root, known);
  // A page reports failures to the root at once, which may be before its first heartbeat.
  const counts = endedIn(newest) < endedIn(root.counts) ? root.counts : newest;
  return { ...root, counts, ...(held === undefined ? {} : { waitReason: held }) };
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
  running: readonly WorkflowExecutionDescription[],
  { look, by }: { readonly look: Look; readonly by: number | undefined },
): Promise<WaitReason | undefined> {
  const pages = running.slice(0, MAX_PAGES_LOOKED_AT);
  for (const page of pages) {
    const obstacle = await findWaitReason(page, look);
    if (obstacle !== undefined) return obstacle;
  }
  // A caller with a time limit asks about many batches, so their rows are not checked.
  if (by !== undefined) return undefined;
  const rows = await describeAll(connection.client, pages.flatMap(rowsOf).slice(0, MAX_ROWS_LOOKED_AT));
  return rowsWaitReason(rows, async (row) => (await findWaitReason(row, look)) ?? pauseOf(connection, row));
}

/** Workflow ids of a page's running rows, those that began first at the front. */
export function rowsOf({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): string[] {
  return [...(raw.pendingChildren ?? [])]
    .sort((a, b) => Number(a.initiatedId ?? 0) - Number(b.initiatedId ?? 0))
    .flatMap(({ workflowId }) => (workflowId == null || workflowId === '' ? [] : [workflowId]));
}

/**
 * The most frequent reason of the waiting rows, and how many of the checked rows have it. Undefined if no row waits.
 */
export async function rowsWaitReason<Row>(
  rows: readonly Row[],
  reasonOf: (row: Row) => Promise<WaitReason | undefined>,
): Promise<WaitReason | undefined> {
  const looked = await Promise.all(rows.map(reasonOf));
  const waiting = looked.filter((obstacle) => obstacle !== undefined);
  const alike = (obstacle: WaitReason): number => waiting.filter(({ code }) => code === obstacle.code).length;
  const [frequent] = waiting.toSorted((a, b) => alike(b) - alike(a));
  if (frequent === undefined) return undefined;
  const how = `${alike(frequent)} of ${looked.length} checked ${looked.length === 1 ? 'row' : 'rows'}`;
  return { ...frequent, message: `${how} ${alike(frequent) === 1 ? 'waits' : 'wait'}: ${frequent.message}` };
}

/** Why a row waits in its workflow. Queries only rows without a pending activity. */
async function pauseOf(
  connection: TemporalConnection,
  { workflowId, taskQueue, raw }: WorkflowExecutionDescription,
): Promise<WaitReason | undefined> {
  if ((raw.pendingActivities ?? []).length > 0) return undefined;
  const handle = connection.client.workflow.getHandle(workflowId);
  const progress = queryWorkflow<WorkflowProgress>(connection, handle, { name: PROGRESS_QUERY, taskQueue });
  // The workflow can end or lose its worker meanwhile.
  const { waitReason } = await progress.catch(() => ({ waitReason: undefined }));
  return waitReason === undefined ? undefined : waitReasonOf(waitReason);
}

/** The workflows that Temporal can describe. A workflow can end or be removed at any moment. */
async function describeAll(
  client: TemporalConnection['client'],
  workflowIds: readonly string[],
): Promise<WorkflowExecutionDescription[]> {
  const looked = await Promise.allSettled(workflowIds.map((id) => client.workflow.getHandle(id).describe()));
  return looked.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
}
