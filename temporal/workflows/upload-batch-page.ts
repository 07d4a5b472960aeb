import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { BATCH_INPUT_SCHEMA } from '../contract/batch';
import type { PageInput, PageResult } from '../contract/batch';
import { PageRun } from './batch/page-run';
import { refuseNewerSchema } from './refuse-newer-schema';

/**
 * Uploads the rows of one page at the same time and writes their results. If the page is cancelled, it cancels its
 * uploads, writes their results, and its result counts them.
 *
 * Bounds of the history: a page has at most 500 rows, whose steps share groups of six events. Each large file is a
 * child. It never continues as new.
 */
export async function uploadBatchPage(input: PageInput): Promise<PageResult> {
  refuseNewerSchema('The batch was started', input.schema, BATCH_INPUT_SCHEMA);
  const page = new PageRun(input);
  try {
    await page.upload();
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  return CancellationScope.nonCancellable(() => page.close());
}
