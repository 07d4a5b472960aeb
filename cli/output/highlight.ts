import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const STYLES: readonly (readonly [pattern: RegExp, style: Style])[] = [
  [/^Error\b[^:\n]{0,200}:/gm, ['bold', 'red']],
  [/^Warning:/gm, ['bold', 'yellow']],
  [/^ {0,8}(?:What to do:|->)/gm, 'cyan'],
  // Marks of `doctor`.
  [/^ok(?= {4})/gm, 'green'],
  [/^note(?= {2})/gm, 'yellow'],
  [/^FAIL(?= {2})/gm, ['bold', 'red']],
  [/(?:^|(?<=: ))COMPLETED\b/gm, 'green'],
  [/(?:^|(?<=: ))(?:FAILED|TIMED_OUT|TERMINATED)\b/gm, 'red'],
  [/(?:^|(?<=: ))(?:CANCELLED|PAUSED)\b/gm, 'yellow'],
];

/** Colours what a reader looks for: errors, warnings, advice, results, and the head of a table. */
export function highlight(text: string): string {
  const styled = STYLES.reduce(
    (painted, [pattern, style]) => painted.replace(pattern, (found) => paint(style, found)),
    text,
  );
  const [first = '', ...rest] = styled.split('\n');
  return [isTableHead(first) ? paint('bold', first) : first, ...rest].join('\n');
}

/** Colours the bar in a drawn line. */
export function highlightBar(line: string): string {
  return line.replace(/█+/, (bar) => paint('green', bar)).replace(/░+/, (rest) => paint('gray', rest));
}

/** `STATUS   FILE   STARTED`. */
function isTableHead(line: string): boolean {
  return line.includes('  ') && line === line.toUpperCase() && /^[A-Z][A-Z -]+$/.test(line);
}

function paint(style: Style, text: string): string {
  // The caller has checked whether the stream has colours.
  return styleText(style, text, { validateStream: false });
}
