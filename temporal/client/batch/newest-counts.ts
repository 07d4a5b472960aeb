import type { BatchCounts, BatchProgress, PageProgress } from '../../contract/batch';
import { addCounts, withWaiting } from '../../contract/batch-counts';

/** Adds the current counts of running pages to those of ended pages. All other rows of the plan wait. */
export function newestCounts(
  { counts: { rows }, ended }: Pick<BatchProgress, 'counts' | 'ended'>,
  pages: readonly PageProgress[],
): BatchCounts {
  const now = withWaiting({ ...pages.map(({ counts }) => counts).reduce(addCounts, ended), rows });
  // Until the root knows that a page has ended, the page's new run may count its rows as well.
  return { ...now, waiting: Math.max(0, now.waiting) };
}
