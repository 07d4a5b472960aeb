import type { WorkflowHandle } from '@temporalio/client';
import { BATCH_PROGRESS_QUERY, PAGE_PROGRESS_QUERY } from '../../contract/batch';
import type { BatchCounts, BatchProgress, PageProgress } from '../../contract/batch';
import type { TemporalConnection } from '../connect';
import { payloadReader, type PayloadReader } from '../payload-reader';
import { queryWorkflow, type WorkflowQuery } from '../query-workflow';
import { heldUpBy, type HeldUp } from '../held-up-by';
import type { LiveBatch } from './batch-handle';
import { newestCounts } from './newest-counts';

/** Of the pages that run, so many are asked what they wait for: those that began first. They share their folder, and so what keeps them from it. */
const MOST_PAGES_LOOKED_AT = 16;

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
  const read = payloadReader(connection);
  const [counts, obstacle] = await Promise.all([
    countsOf(connection, root, { taskQueue, by }),
    heldUpBy(description, read).then((held) => held ?? pagesHeldUpBy(connection, root.pagesRunning, read)),
  ]);
  return { ...root, counts, ...(obstacle === undefined ? {} : { heldUpBy: obstacle }) };
}

async function countsOf(
  connection: TemporalConnection,
  root: BatchProgress,
  asking: Omit<WorkflowQuery, 'name'>,
): Promise<BatchCounts> {
  const asked = root.pagesRunning.map((page) =>
    queryWorkflow<PageProgress>(connection, connection.client.workflow.getHandle(page), {
      name: PAGE_PROGRESS_QUERY,
      ...asking,
    }),
  );
  try {
    return newestCounts(root, await Promise.all(asked));
  } catch {
    // A page can end, or lose its worker, between the two questions: the root's own counts are true, only older.
    return root.counts;
  }
}

async function pagesHeldUpBy(
  { client }: TemporalConnection,
  pages: readonly string[],
  read: PayloadReader,
): Promise<HeldUp | undefined> {
  const looked = await Promise.allSettled(
    pages
      .slice(0, MOST_PAGES_LOOKED_AT)
      .map(async (page) => heldUpBy(await client.workflow.getHandle(page).describe(), read)),
  );
  const found = looked.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
  return found.find((obstacle) => obstacle !== undefined);
}
