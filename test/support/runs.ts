/** How many cases a property test checks. `PROPERTY_RUNS=10` checks ten times as many. */
export function runs(count: number): number {
  return Math.ceil(count * Number(process.env['PROPERTY_RUNS'] ?? 1));
}
