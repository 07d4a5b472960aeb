import type { BatchCounts, BatchProgress, PageProgress } from '../../contract/batch';

/** Adds the current counts of running pages to those of ended pages. All other rows of the plan wait. */
export function newestCounts(
  { counts: { rows }, ended }: Pick<BatchProgress, 'counts' | 'ended'>,
  pages: readonly PageProgress[],
): BatchCounts {
  const all = [ended, ...pages.map(({ counts }) => counts)];
  const sum = (name: keyof BatchCounts): number => all.reduce((total, counts) => total + counts[name], 0);
  const begun = {
    completed: sum('completed'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    running: sum('running'),
  };
  const notWaiting = begun.completed + begun.failed + begun.cancelled + begun.running;
  return {
    rows,
    ...begun,
    waiting: Math.max(0, rows - notWaiting),
    earlier: sum('earlier'),
    bytes: sum('bytes'),
  };
}
