import { cutText, fitText, textWidth } from '../output/text-width';

/** A narrower terminal shows no bar, because the numbers need the room. */
const MIN_COLUMNS = 60;
const MAX_BAR = 40;
const MAX_NAME_SHARE = 0.3;

export interface Bar {
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  /** Shown after the bar. If not all fit, the last one is kept. */
  readonly facts: readonly string[];
}

/** Returns the width of a column of names. */
export function nameColumns(names: readonly string[], columns: number): number {
  return Math.min(Math.floor(columns * MAX_NAME_SHARE), Math.max(0, ...names.map(textWidth)));
}

/** Returns `harbour.mp4 ████████░░░░  41%  123.0 MB of 300.0 MB  94.4 MB/s, 2 s left`, in at most this many columns. */
export function barLine(
  { name, share, facts }: Bar,
  { columns, nameWidth }: { readonly columns: number; readonly nameWidth: number },
): string {
  const barWidth = columns < MIN_COLUMNS ? 0 : Math.min(MAX_BAR, Math.floor(columns / 4));
  const filled = Math.floor(share * barWidth);
  const head = [
    fitText(name, nameWidth),
    ...(barWidth === 0 ? [] : ['█'.repeat(filled) + '░'.repeat(barWidth - filled)]),
    `${Math.floor(share * 100)}%`.padStart(4),
  ].join(' ');
  const line = (shown: readonly string[]): string =>
    [head, ...shown.filter((fact) => fact !== '')].join('  ').trimEnd();
  const whole = line(facts);
  return textWidth(whole) <= columns ? whole : cutText(line(facts.slice(-1)), columns);
}
