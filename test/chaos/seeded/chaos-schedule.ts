/** Faults of the simulator that an upload survives. */
const FAULTS = [
  'start-lost',
  'start-503',
  'complete-lost',
  'complete-half',
  'complete-502',
  'session-503',
  'session-lost',
  'login-503',
  'rate-limit-429',
  'put-503',
  'put-500',
  'put-reset',
  'put-lost',
  'put-wrong-etag',
  'token-expired-once',
] as const;
export type Fault = (typeof FAULTS)[number];

type Killed = 'worker' | 'temporal' | 's3';

/** What happens right after the service has accepted so many `complete`s. */
export type ChaosEvent = { readonly afterCompletes: number } & (
  { readonly kill: Killed } | { readonly fault: Fault; readonly times: number }
);

export interface ChaosSize {
  readonly rows: number;
  readonly workerKills: number;
  readonly temporalKills: number;
  readonly s3Kills: number;
  readonly faults: number;
}

const MAX_TIMES = 4;
/**
 * Near the end of a batch few rows are left, so one of them may meet a fault as often as it is set. These end an upload
 * if it meets them more often: the same wrong ETag twice means a damaged part, the third lost start is the last, and a
 * start that meets a 401 twice is refused.
 */
const MAX_TIMES_OF: Partial<Record<Fault, number>> = {
  'put-wrong-etag': 1,
  'start-lost': 2,
  'token-expired-once': 1,
};

/**
 * Spreads events over a batch, in the order in which they happen: each has an equal share of the rows to itself, and
 * its moment within it is random. Depends only on its arguments: the same seed gives the same schedule on every machine.
 */
export function chaosSchedule(seed: number, size: ChaosSize): ChaosEvent[] {
  const random = randomOf(seed);
  const { rows, workerKills, temporalKills, s3Kills, faults } = size;
  const kinds = shuffled(
    [
      ...Array<'worker'>(workerKills).fill('worker'),
      ...Array<'temporal'>(temporalKills).fill('temporal'),
      ...Array<'s3'>(s3Kills).fill('s3'),
      ...Array<'fault'>(faults).fill('fault'),
    ],
    random,
  );
  const share = rows / (kinds.length + 1);
  return kinds.map((kind, index) => {
    const afterCompletes = Math.floor((index + random()) * share);
    if (kind !== 'fault') return { afterCompletes, kill: kind };
    const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'put-503';
    return { afterCompletes, fault, times: 1 + Math.floor(random() * (MAX_TIMES_OF[fault] ?? MAX_TIMES)) };
  });
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

/** Numbers from 0 to below 1: a linear congruential generator with the constants of Numerical Recipes. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
