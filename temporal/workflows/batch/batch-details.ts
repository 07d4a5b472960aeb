import type { BatchCounts, BatchProgress } from '../../contract/batch';

/** The details of rows in Temporal's UI: a few lines of Markdown. */
export function countsDetails(counts: BatchCounts, phase: string): string {
  const { rows, completed, failed, cancelled, running, waiting, bytes } = counts;
  const done = completed + failed + cancelled;
  const percent = rows === 0 ? 100 : Math.floor((100 * done) / rows);
  return [
    `**${phase}** ${String(done)} of ${String(rows)} rows (${String(percent)} %)`,
    `${String(completed)} completed (${(bytes / 1e6).toFixed(1)} MB), ${String(failed)} failed, ${String(cancelled)} cancelled, ` +
      `${String(running)} running, ${String(waiting)} waiting`,
  ].join('\n\n');
}

/** The same for a whole batch, as far as its root knows. */
export function batchDetails({
  phase,
  counts,
  pages,
  pagesDone,
  round,
  pausedBecause,
}: BatchProgress): string {
  const lines = [
    countsDetails(counts, phase),
    `${String(pagesDone)} of ${String(pages)} pages have ended, round ${String(round)}`,
  ];
  if (pausedBecause !== undefined) lines.push(pausedBecause);
  return lines.join('\n\n');
}
