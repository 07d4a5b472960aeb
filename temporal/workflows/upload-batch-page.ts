import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { BATCH_INPUT_SCHEMA } from '../contract/batch';
import type { PageInput, PageResult } from '../contract/batch';
import { PageRun } from './batch/page-run';
import { refuseNewerSchema } from './refuse-newer-schema';

/**
 * Uploads the rows of one page and writes their results. If the page is cancelled, it ends its uploads, writes their
 * results, and its result counts them.
 *
 * Bounds of the history: an activity uploads all small rows of the page, and each further one follows a pause or many
 * large files. Each large file is a child. The inputs of large files take at most 512 KiB for each of these activities.
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
