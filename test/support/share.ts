const DAY_MS = 86_400_000;

/** The items of a share: `2/3` are the second, fifth, eighth … `variable`: where it comes from. */
export function shareOf<T>(items: readonly T[], share: string, variable: string): readonly T[] {
  const [, first, step] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(share) ?? []).map(Number);
  if (first === undefined || step === undefined || first > step)
    throw new Error(`${variable} is ${share}. It must be like 2/3.`);
  return items.filter((_, index) => index % step === first - 1);
}

/** One of so many shares, each day (UTC) the next one. */
export function shareOfDay(shares: number, now = Date.now()): string {
  return `${String((Math.floor(now / DAY_MS) % shares) + 1)}/${String(shares)}`;
}
