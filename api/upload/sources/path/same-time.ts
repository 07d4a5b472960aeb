/** What file systems and network shares keep, ns; the coarsest first. */
const GRANULARITIES: readonly bigint[] = [1_000_000_000n, 1_000_000n, 1_000n, 100n, 1n];

/**
 * Whether two times (ns since 1970) that two machines report can be the same time of the same file: a share may cut off what the other one keeps, so that they
 * are compared as finely as the coarser of the two says.
 */
export function sameTime(one: bigint, other: bigint): boolean {
  const coarser = GRANULARITIES.find((step) => one % step === 0n || other % step === 0n) ?? 1n;
  return floored(one, coarser) === floored(other, coarser);
}

function floored(time: bigint, step: bigint): bigint {
  const rest = time % step;
  return time - (rest < 0n ? rest + step : rest);
}
