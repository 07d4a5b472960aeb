const WHOLE = new Intl.NumberFormat('en-US');
const ONE_DIGIT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const SIGNED = new Intl.NumberFormat('en-US', { signDisplay: 'exceptZero' });
const SIGNED_ONE_DIGIT = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});
const UNKNOWN = '–';

/** `12,345`; a dash for what is not known. */
export function countText(count: number | null): string {
  return count === null ? UNKNOWN : WHOLE.format(count);
}

/** `+12`, `-3`, `0`. */
export function differenceText(difference: number): string {
  return SIGNED.format(difference);
}

/** `3.5 %` of 0.035. Neither a small rate nor one close to all is rounded to none or all. */
export function rateText(rate: number | null): string {
  if (rate === null) return UNKNOWN;
  if (rate > 0 && rate < 0.0005) return '< 0.1 %';
  if (rate < 1 && rate >= 0.9995) return '> 99.9 %';
  return `${ONE_DIGIT.format(rate * 100)} %`;
}

/** `+1.2 pp`: percentage points of a difference of rates. */
export function pointsText(difference: number): string {
  return `${SIGNED_ONE_DIGIT.format(difference * 100)} pp`;
}
