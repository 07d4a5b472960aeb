import type { PlanSummary, SkipReason } from '../../manifest/plan/plan-manifest';
import { plainLine } from '../output/plain-text';
import { formatBytes } from '../output/units';
import { formatCount } from './batch-text';
import { fileTypesText } from './check-text';

const REASONS: Readonly<Record<SkipReason, string>> = {
  hidden: 'hidden',
  unsupported: 'of a type the service does not take',
  empty: 'empty',
  tooLarge: 'too large',
};

/** What went into a manifest, and what was left out. */
export function planSummaryText({ files, bytes, fileTypes, skipped, skippedNames }: PlanSummary): string {
  const types = files === 0 ? '' : `: ${fileTypesText(fileTypes)}`;
  const lines = [`${formatCount(files)} file${files === 1 ? '' : 's'}, ${formatBytes(bytes)}${types}.`];
  const left = leftOutText({ skipped, skippedNames });
  if (left !== undefined) lines.push(`Left out: ${left}.`);
  return lines.map((line) => `${line}\n`).join('');
}

/** `2 empty (a.mp4, b.mp4)`; undefined where nothing was left out. */
export function leftOutText({
  skipped,
  skippedNames,
}: Pick<PlanSummary, 'skipped' | 'skippedNames'>): string | undefined {
  const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  if (left === 0) return undefined;
  const why = Object.entries(REASONS)
    .map(([reason, words]) => ({ count: countOf(skipped, reason), words }))
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${formatCount(count)} ${words}`);
  const more = left > skippedNames.length ? ', …' : '';
  return `${why.join(', ')} (${skippedNames.map(plainLine).join(', ')}${more})`;
}

function countOf(skipped: PlanSummary['skipped'], reason: string): number {
  return Object.entries(skipped).find(([name]) => name === reason)?.[1] ?? 0;
}
