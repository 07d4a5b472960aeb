import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { PROGRESS_QUERY, type WorkflowProgress } from '../../contract';
import { BATCH_PROGRESS_QUERY, PAGE_PROGRESS_QUERY } from '../../contract/batch';
import type { BatchProgress, PageProgress } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { queryWorkflow, type WorkflowQuery } from '../query-workflow';
import { lookOver, heldUpBy, heldUpOf, type HeldUp, type Look } from '../held-up-by';
import type { LiveBatch } from './batch-handle';
import { rowsHeldUpBy, rowsOf } from './rows-held-up-by';
import { newestCounts } from './newest-counts';

/** Of the pages that run, so many are asked what they wait for: those that began first. They share their folder, and so what keeps them from it. */
const MOST_PAGES_LOOKED_AT = 16;

/** Of the rows that run, so many are looked at: those that began first, since they have been tried most often. */
const MOST_ROWS_LOOKED_AT = 5;

/** Asks a batch's root and its running pages how they stand. Rejects as `queryWorkflow`, where the root does not answer; `by`: epoch ms. */
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
  const [pages, obstacle] = await Promise.all([
    pageProgress(connection, root, { taskQueue, by }),
    heldUpBy(description, look).then(
      (held) => held ?? pagesHeldUpBy(connection, root.pagesRunning, { look, by }),
    ),
  ]);
  const counts = pages === undefined ? root.counts : newestCounts(root, pages);
  const held = obstacle ?? stepsWaitFor(pages ?? []);
  return { ...root, counts, ...(held === undefined ? {} : { heldUpBy: held }) };
}

/** Why steps of rows wait that their pages upload: the reason of the page with the largest number of them. */
function stepsWaitFor(pages: readonly PageProgress[]): HeldUp | undefined {
  const [largest] = pages.flatMap(({ waiting }) => waiting ?? []).sort((a, b) => b.steps - a.steps);
  if (largest === undefined) return undefined;
  const { reason, steps } = largest;
  const how = `${steps} ${steps === 1 ? 'step' : 'steps'} of its rows ${steps === 1 ? 'waits' : 'wait'}`;
  return heldUpOf({ ...reason, message: `${how}: ${reason.message}` });
}

/** Undefined if not all answer: a page can end, or lose its worker, between the two questions. The root's own counts are true, only older. */
async function pageProgress(
  connection: TemporalConnection,
  root: BatchProgress,
  asking: Omit<WorkflowQuery, 'name'>,
): Promise<PageProgress[] | undefined> {
  const asked = root.pagesRunning.map((page) =>
    queryWorkflow<PageProgress>(connection, connection.client.workflow.getHandle(page), {
      name: PAGE_PROGRESS_QUERY,
      ...asking,
    }),
  );
  try {
    return await Promise.all(asked);
  } catch {
    return undefined;
  }
}

async function pagesHeldUpBy(
  connection: TemporalConnection,
  running: readonly string[],
  { look, by }: { readonly look: Look; readonly by: number | undefined },
): Promise<HeldUp | undefined> {
  const { client } = connection;
  const pages = await describeAll(client, running.slice(0, MOST_PAGES_LOOKED_AT));
  for (const page of pages) {
    const obstacle = await heldUpBy(page, look);
    if (obstacle !== undefined) return obstacle;
  }
  // Whoever has little time asks many batches: their rows are not looked at.
  if (by !== undefined) return undefined;
  const rows = await describeAll(client, pages.flatMap(rowsOf).slice(0, MOST_ROWS_LOOKED_AT));
  return rowsHeldUpBy(rows, async (row) => (await heldUpBy(row, look)) ?? pauseOf(connection, row));
}

/** Why a row waits in its workflow; only that is asked which has no step under way. */
async function pauseOf(
  connection: TemporalConnection,
  { workflowId, taskQueue, raw }: WorkflowExecutionDescription,
): Promise<HeldUp | undefined> {
  if ((raw.pendingActivities ?? []).length > 0) return undefined;
  const handle = connection.client.workflow.getHandle(workflowId);
  const progress = queryWorkflow<WorkflowProgress>(connection, handle, { name: PROGRESS_QUERY, taskQueue });
  // It can end, or lose its worker, meanwhile.
  const { waitReason } = await progress.catch(() => ({ waitReason: undefined }));
  return waitReason === undefined ? undefined : heldUpOf(waitReason);
}

/** Those that can be described: one can end, or be removed, at any moment. */
async function describeAll(
  client: TemporalConnection['client'],
  workflowIds: readonly string[],
): Promise<WorkflowExecutionDescription[]> {
  const looked = await Promise.allSettled(workflowIds.map((id) => client.workflow.getHandle(id).describe()));
  return looked.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
}
