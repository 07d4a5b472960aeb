/** Precision of times in file systems and network shares, ns; the coarsest first. */
const GRANULARITIES: readonly bigint[] = [1_000_000_000n, 1_000_000n, 1_000n, 100n, 1n];

/**
 * Returns whether two times (ns since 1970) from two machines may be the same time of the same file. A share may cut
 * off digits that the other one keeps, so it compares at the coarser precision of the two.
 */
export function sameTime(one: bigint, other: bigint): boolean {
  const coarser = GRANULARITIES.find((step) => one % step === 0n || other % step === 0n) ?? 1n;
  return floored(one, coarser) === floored(other, coarser);
}

function floored(time: bigint, step: bigint): bigint {
  const rest = time % step;
  return time - (rest < 0n ? rest + step : rest);
}
