import { SKIP_REASONS, type PlanSummary, type SkipReason } from '../../manifest/plan/uploadable-files';
import { plainLine } from '../output/plain-text';
import { formatBytes, formatCount } from '../output/units';
import { fileTypesText } from './check-text';

const REASONS: Readonly<Record<SkipReason, string>> = {
  hidden: 'hidden',
  systemFolder: 'in folders of the system or the network storage',
  unsupported: 'of a type the service does not take',
  empty: 'empty',
  tooLarge: 'too large',
  tooYoung: 'too young: they may still grow',
  badName: 'to rename, because the name is not UTF-8',
  linkedOutside: 'linked to outside the allowed folders',
  linkedFolder: 'linked to a folder, which is not entered',
  deadLink: 'linked to nothing',
  noRegularFile: 'not a regular file',
  unreadable: "that can't be read",
  gone: 'removed while the files were listed',
};

/** Returns what a manifest contains, and what was left out. */
export function planSummaryText({ files, bytes, fileTypes, skipped, skippedNames }: PlanSummary): string {
  const types = files === 0 ? '' : `: ${fileTypesText(fileTypes)}`;
  const lines = [`${formatCount(files)} file${files === 1 ? '' : 's'}, ${formatBytes(bytes)}${types}.`];
  const left = leftOutText({ skipped, skippedNames });
  if (left !== undefined) lines.push(`Left out: ${left}.`);
  return lines.map((line) => `${line}\n`).join('');
}

/** `2 empty (a.mp4, b.mp4), 1 too large (c.mp4)`; undefined if nothing was left out. */
export function leftOutText({
  skipped,
  skippedNames,
}: Pick<PlanSummary, 'skipped' | 'skippedNames'>): string | undefined {
  const left = SKIP_REASONS.flatMap((reason) => {
    const count = skipped[reason];
    const names = skippedNames[reason] ?? [];
    const more = count > names.length ? ', …' : '';
    return count === 0
      ? []
      : [`${formatCount(count)} ${REASONS[reason]} (${names.map(plainLine).join(', ')}${more})`];
  });
  return left.length === 0 ? undefined : left.join(', ');
}
