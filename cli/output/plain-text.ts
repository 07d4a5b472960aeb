import stringWidth from 'string-width';

/** Whole terminal sequences (CSI, OSC, and two-character escapes), because their parameters are no text either. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
/** C0 and C1 except tab and line feed, and the marks that change the direction of writing. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes text from elsewhere safe to print on a terminal. Of the control characters, only tab and line feed stay. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, '').replace(CONTROLS, '');
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** Returns complete JSON without raw control characters: those that JSON allows are escaped. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Bytes for people: `300.0 MB` (powers of ten, as in the interface). */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A time span for people: `4 s`, `2 min 05 s`, `3 h 07 min`. */
export function formatSpan(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** A count for people: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 row`, `12,345 rows`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const GRAPHEMES = new Intl.Segmenter();

/** Returns the line, or as much of it as fits into this many columns, with an ellipsis. */
export function cutText(line: string, columns: number): string {
  if (stringWidth(line) <= columns) return line;
  let [kept, width] = ['', 0];
  for (const { segment } of GRAPHEMES.segment(line)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Returns the line, cut or padded with spaces to exactly this many columns. */
export function fitText(line: string, columns: number): string {
  const cut = cutText(line, columns);
  return cut + ' '.repeat(Math.max(0, columns - stringWidth(cut)));
}
