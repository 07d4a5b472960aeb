// Options rather than formatters: n8n loads this file at its start, and a formatter made there costs milliseconds.
const LOCALE = 'en-US';
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const SIGNED = { signDisplay: 'exceptZero' } as const;
const UNKNOWN = '–';

/** `12,345`; a dash for what is not known. */
export function countText(count: number | null): string {
  return count === null ? UNKNOWN : count.toLocaleString(LOCALE);
}

/** `+12`, `-3`, `0`. */
export function differenceText(difference: number): string {
  return difference.toLocaleString(LOCALE, SIGNED);
}

/** `3.5 %` of 0.035. Neither a small rate nor one close to all is rounded to none or all. */
export function rateText(rate: number | null): string {
  if (rate === null) return UNKNOWN;
  if (rate > 0 && rate < 0.0005) return '< 0.1 %';
  if (rate < 1 && rate >= 0.9995) return '> 99.9 %';
  return `${(rate * 100).toLocaleString(LOCALE, ONE_DIGIT)} %`;
}

/** `+1.2 pp`: percentage points of a difference of rates. */
export function pointsText(difference: number): string {
  return `${(difference * 100).toLocaleString(LOCALE, { ...SIGNED, ...ONE_DIGIT })} pp`;
}
