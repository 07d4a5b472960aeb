/** A seed that is another one each day, and readable: 20261127 on 27 November 2026, UTC. */
export function daySeed(now = new Date()): number {
  return Number(now.toISOString().slice(0, 10).replaceAll('-', ''));
}
