// Options instead of formatters, because n8n loads this file at its start, and making a formatter takes milliseconds.
const LOCALE = 'en-US';
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const SIGNED = { signDisplay: 'exceptZero' } as const;
const UNKNOWN = '–';

/** `12,345`, or a dash for an unknown count. */
export function countText(count: number | null): string {
  return count === null ? UNKNOWN : count.toLocaleString(LOCALE);
}

/** `+12`, `-3`, `0`. */
export function differenceText(difference: number): string {
  return difference.toLocaleString(LOCALE, SIGNED);
}

/** `3.5 %` for 0.035. A very small rate never becomes 0 %, and a very large one never 100 %. */
export function rateText(rate: number | null): string {
  if (rate === null) return UNKNOWN;
  if (rate > 0 && rate < 0.0005) return '< 0.1 %';
  if (rate < 1 && rate >= 0.9995) return '> 99.9 %';
  return `${(rate * 100).toLocaleString(LOCALE, ONE_DIGIT)} %`;
}

/** `+1.2 pp`: the difference of two rates in percentage points. */
export function pointsText(difference: number): string {
  return `${(difference * 100).toLocaleString(LOCALE, { ...SIGNED, ...ONE_DIGIT })} pp`;
}
