import { adviceText } from '../errors/what-to-do';
import type { Finding, ManifestSummary } from '../../manifest/check/check-manifest';
import type { Separator } from '../../manifest/csv/separator';
import { plainLine } from '../output/plain-text';
import { formatBytes, formatCount } from '../output/units';
import { rowsText } from './batch-text';

/** Shows one mistake or warning: where, what, and what to do. */
export function findingText({ line, column, message, severity, ...advice }: Finding): string {
  const hint = adviceText(advice);
  const where = `line ${String(line)}${column === undefined ? '' : `, ${plainLine(column)}`}`;
  const marked = `${where}: ${severity === 'warning' ? 'warning: ' : ''}${plainLine(message)}`;
  return hint === undefined ? `${marked}\n` : `${marked}\n      -> ${plainLine(hint)}\n`;
}

const SEPARATED: Readonly<Record<Separator, string | undefined>> = {
  ',': undefined,
  ';': 'semicolons',
  '\t': 'tabs',
};

export function checkSummaryText(summary: ManifestSummary): string {
  const { rows, mistakes, warnings, sized, bytes } = summary;
  const lines = [
    `${rowsText(rows)} can be uploaded${rows === 0 ? '' : `: ${fileTypesText(summary.fileTypes)}`}.`,
    sized === 0
      ? 'Sizes are not known: no source was looked at.'
      : `${formatBytes(bytes)} in ${formatCount(sized)} source${sized === 1 ? '' : 's'} whose size is known.`,
    mistakes === 0
      ? `No mistakes${warningsText(warnings)}.`
      : `${formatCount(mistakes)} mistake${mistakes === 1 ? '' : 's'}${warningsText(warnings)}. \`batch start\` refuses this manifest until it has none.`,
  ];
  return `${separatorText(summary.separator)}${(rows === 0 ? lines.slice(-1) : lines).join('\n')}\n`;
}

/** A wrong guess explains many mistakes. */
function separatorText(separator: Separator = ','): string {
  const name = SEPARATED[separator];
  return name === undefined ? '' : `Cells are separated by ${name}, as in the header.\n`;
}

/** `1,200 MP4, 34 MOV`. */
export function fileTypesText(fileTypes: Readonly<Record<string, number>>): string {
  return Object.entries(fileTypes)
    .map(([type, count]) => `${formatCount(count)} ${type}`)
    .join(', ');
}

function warningsText(warnings: number): string {
  if (warnings === 0) return '';
  return `, ${formatCount(warnings)} warning${warnings === 1 ? '' : 's'}`;
}
