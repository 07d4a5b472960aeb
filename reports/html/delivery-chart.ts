import { default as Mustache } from 'mustache';

interface DeliveryChart {
  /** Labels below the pairs of bars. */
  readonly names: readonly string[];
  readonly failed: readonly number[];
  readonly success: readonly number[];
  /** For screen readers. */
  readonly title: string;
  readonly description: string;
}

/** Size in the picture's own units. It scales with its column. */
const WIDTH = 500;
const HEIGHT = 284;
const LEFT = 40;
const FONT = 13;
const CHARACTER_WIDTH = 7.2;
const MAX_BAR_WIDTH = 36;
const MAX_LABELLED_BARS = 14;
/** A few among thousands must be seen. */
const MIN_BAR_HEIGHT = 2;
/** Readable on white and on black, if a mail client drops the style sheet. */
const INK = '#767676';
const LINE = '#9a9a9a55';

/**
 * An SVG with two rows of bars over the same intervals: failed above, successful below. Each row has its own scale,
 * because a few failures would be invisible next to thousands of successes. Self-contained: no script, style sheet or
 * remote resource. Its texts are escaped.
 */
export function renderDeliveryChart({ names, failed, success, title, description }: DeliveryChart): string {
  const slot = (WIDTH - LEFT) / names.length;
  const labelWidth = CHARACTER_WIDTH * (1 + Math.max(...names.map(({ length }) => length)));
  const every = Math.ceil(labelWidth / slot);
  const labels = names.map((name, index) => (index % every > 0 ? '' : text(name, middle(slot, index), 271)));
  return (
    `<svg role="img" aria-labelledby="chart-title chart-text" xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" ` +
    `viewBox="0 0 ${WIDTH} ${HEIGHT}" style="display:block;width:100%;max-width:100%;height:auto" ` +
    `font-family="Helvetica, Arial, sans-serif" font-size="${FONT}" fill="${INK}" text-anchor="middle">` +
    `<title id="chart-title">${Mustache.escape(title)}</title><desc id="chart-text">${Mustache.escape(description)}</desc>` +
    rowOfBars({
      heading: 'Failed',
      top: 36,
      height: 96,
      values: failed,
      color: '#d64550',
      isLabelled: true,
    }) +
    rowOfBars({ heading: 'Successful', top: 184, height: 68, values: success, color: '#3d8f86' }) +
    `${labels.join('')}</svg>`
  );
}

interface RowOfBars {
  readonly heading: string;
  readonly top: number;
  readonly height: number;
  readonly values: readonly number[];
  readonly color: string;
  /** Whether each bar shows its value, if there are few. */
  readonly isLabelled?: boolean;
}

function rowOfBars({ heading, top, height, values, color, isLabelled = false }: RowOfBars): string {
  const bottom = top + height;
  const step = niceStep(Math.max(...values) / 2);
  const perUnit = height / (2 * step);
  const ticks = [0, step, 2 * step].map((value) => {
    const y = bottom - value * perUnit;
    const line = `<path d="M${LEFT} ${short(y)}H${WIDTH}" stroke="${value === 0 ? INK : LINE}"/>`;
    return line + text(shortCount(value), LEFT - 8, y + 4.5);
  });
  const slot = (WIDTH - LEFT) / values.length;
  const width = Math.min(MAX_BAR_WIDTH, slot * 0.72);
  const bars = values.map((value, index) => {
    if (value === 0) return '';
    const tall = Math.max(MIN_BAR_HEIGHT, value * perUnit);
    const x = middle(slot, index);
    const bar = `<path d="M${short(x - width / 2)} ${short(bottom)}v${short(-tall)}h${short(width)}v${short(tall)}z" fill="${color}"/>`;
    const isShown = isLabelled && values.length <= MAX_LABELLED_BARS;
    return bar + (isShown ? text(shortCount(value), x, bottom - tall - 5) : '');
  });
  return (
    `<g text-anchor="start" font-weight="bold">${text(heading, 0, top - 14)}</g>` +
    `<g text-anchor="end">${ticks.join('')}</g>${bars.join('')}`
  );
}

/** The smallest round number of at least `least`, and at least 1: two steps hold the largest bar. */
function niceStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))));
  return Math.max(1, power * ([1, 2, 3, 4, 5, 6, 8].find((factor) => factor * power >= least) ?? 10));
}

function middle(slot: number, index: number): number {
  return LEFT + slot * (index + 0.5);
}

function text(content: string, x: number, y: number): string {
  return `<text x="${short(x)}" y="${short(y)}">${Mustache.escape(content)}</text>`;
}

function short(length: number): string {
  return String(Math.round(length * 10) / 10);
}

function shortCount(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}
