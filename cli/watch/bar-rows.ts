import { cutText, fitText, textWidth } from '../output/text-width';

export interface Bar {
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  /** Shown after the bar. If not all fit, the last one is kept. */
  readonly facts: readonly string[];
}

/** Returns the bars below each other, with their names in one column. */
export function barRows(bars: readonly Bar[], columns: number): string[] {
  const longest = Math.max(0, ...bars.map(({ name }) => textWidth(name)));
  const nameWidth = Math.min(Math.floor(columns * MAX_NAME_SHARE), longest);
  return bars.map((bar) => barLine(bar, { columns, nameWidth }));
}

export function percent(share: number): string {
  return `${Math.floor(100 * Math.min(1, share))}%`;
}

/** A narrower terminal shows no bar, because the numbers need the room. */
const MIN_COLUMNS = 60;
const MAX_BAR = 40;
const MAX_NAME_SHARE = 0.3;

/** Returns `harbour.mp4 ████████░░░░  41%  123.0 MB of 300.0 MB  94.4 MB/s, 2 s left`, in at most this many columns. */
function barLine(
  { name, share, facts }: Bar,
  { columns, nameWidth }: { readonly columns: number; readonly nameWidth: number },
): string {
  const barWidth = columns < MIN_COLUMNS ? 0 : Math.min(MAX_BAR, Math.floor(columns / 4));
  const filled = Math.floor(share * barWidth);
  const head = [
    fitText(name, nameWidth),
    ...(barWidth === 0 ? [] : ['█'.repeat(filled) + '░'.repeat(barWidth - filled)]),
    percent(share).padStart(4),
  ].join(' ');
  const line = (shown: readonly string[]): string =>
    [head, ...shown.filter((fact) => fact !== '')].join('  ').trimEnd();
  const whole = line(facts);
  return textWidth(whole) <= columns ? whole : cutText(line(facts.slice(-1)), columns);
}
