/** CI should end within an hour, so the suite chaos gets what is left of it. */
const AIM_SECONDS = 58 * 60;
/** What chaos gets even if the other suites are slow. */
const LEAST_SECONDS = 12 * 60;
/** CI is ended after 90 minutes. */
const LIMIT_SECONDS = 84 * 60;

/**
 * How long the suite chaos may take.
 * @param {number} elapsed seconds since CI began
 */
export function chaosSeconds(elapsed) {
  return Math.min(Math.max(AIM_SECONDS - elapsed, LEAST_SECONDS), LIMIT_SECONDS - elapsed);
}

/**
 * Files of the suite chaos, in the order in which they are chosen, and how long they take. 1 is the time of the suite
 * integration on the same machine. A table can run a share of its cells. `short`: its time with SHORT_MINUTES.
 */
export const CHAOS_FILES = [
  { file: 'test/chaos/activity-table/worker-killed.test.ts', time: 0.6, isTable: true },
  { file: 'test/chaos/seeded/seeded-chaos.test.ts', time: 1.1, short: 0.4 },
  { file: 'test/chaos/batch-killed.test.ts', time: 0.1 },
  { file: 'test/chaos/s3-killed.test.ts', time: 0.1 },
  { file: 'test/chaos/batch-group-killed.test.ts', time: 0.2 },
  { file: 'test/chaos/activity-table/controlled.test.ts', time: 0.5, isTable: true },
  { file: 'test/chaos/activity-table/temporal-away.test.ts', time: 0.36, isTable: true },
  { file: 'test/chaos/activity-table/account-removed.test.ts', time: 0.5, isTable: true },
  { file: 'test/chaos/activity-table/secret-rotated.test.ts', time: 0.26, isTable: true },
  { file: 'test/chaos/share-comes-and-goes.test.ts', time: 0.02 },
  { file: 'test/chaos/worker-busy.test.ts', time: 0.35 },
];

/** CHAOS_MINUTES of the seeded chaos. It always runs one batch, and the short time is enough for that. */
const MINUTES = 10;
const SHORT_MINUTES = 3;

/** The whole tables, or only a third of their cells, and then a short seeded chaos. */
const PLANS = [
  { share: 1, minutes: MINUTES },
  { share: 3, minutes: MINUTES },
  { share: 3, minutes: SHORT_MINUTES },
];

/**
 * Chooses what ends in time: everything, everything with a share of each table, that with a short seeded chaos, or only
 * the first files of that.
 * @param {number} secondsLeft
 * @param {number} integrationSeconds how long the suite integration took on this machine
 * @param {readonly { file: string, time: number, isTable?: boolean, short?: number }[]} files
 * @returns {{ chosen: string[], leftOut: string[], share: number, minutes: number }} `share`: each table runs one cell of
 * that many. `minutes`: CHAOS_MINUTES
 */
export function chaosInTime(secondsLeft, integrationSeconds, files = CHAOS_FILES) {
  const plans = PLANS.map(({ share, minutes }) => {
    const timed = files.map(({ file, time, isTable = false, short = time }) => ({
      file,
      seconds: (minutes === SHORT_MINUTES ? short : time) * (isTable ? 1 / share : 1) * integrationSeconds,
    }));
    return { ...fitting(timed, secondsLeft), share, minutes };
  });
  return plans.find(({ leftOut }) => leftOut.length === 0) ?? plans.at(-1);
}

/** Files run two at a time. */
function fitting(timed, secondsLeft) {
  const chosen = [];
  const leftOut = [];
  let sum = 0;
  let longest = 0;
  for (const { file, seconds } of timed) {
    if (Math.max(longest, seconds, (sum + seconds) / 2) > secondsLeft) {
      leftOut.push(file);
      continue;
    }
    chosen.push(file);
    sum += seconds;
    longest = Math.max(longest, seconds);
  }
  return { chosen, leftOut };
}
