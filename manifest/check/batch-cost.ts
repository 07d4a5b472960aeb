/** Start, read of the session before `complete`, complete, and at least one poll (api.md, "Upload flow"). */
const SERVICE_CALLS_PER_FILE = 4;
/** A small file shares every step with others. With its share of a page: the 0.08 of `npm run bench:batch`. */
const ACTIONS_PER_SMALL_FILE = 0.06;
/** The start of its own workflow (2), pin, start, complete, poll, change of its memo. */
const ACTIONS_PER_LARGE_FILE = 7;
const ACTIONS_PER_PART_RUN = 1;
/** Its start as a child (2), its rows, a few signals to its parent. */
const ACTIONS_PER_PAGE = 8;
/** Start, plan, results, memo. */
const ACTIONS_PER_BATCH = 8;
const ROWS_PER_PAGE = 500;

interface BatchSize {
  readonly rows: number;
  /** Files with their own workflow. */
  readonly largeFiles: number;
  /** Runs of these files' parts, one activity each. */
  readonly partRuns: number;
}

export interface BatchCost {
  /** Requests to the service. They don't include PUTs of parts, which go to storage. */
  readonly serviceCalls: number;
  /** Actions that Temporal Cloud bills, without heartbeats of long steps and retries. */
  readonly temporalActions: number;
}

/** Returns the minimum cost of a batch: no retries, and every file is processed at the first poll. Pure. */
export function batchCost({ rows, largeFiles, partRuns }: BatchSize): BatchCost {
  const pages = Math.ceil(rows / ROWS_PER_PAGE);
  return {
    serviceCalls: rows * SERVICE_CALLS_PER_FILE,
    temporalActions:
      Math.ceil((rows - largeFiles) * ACTIONS_PER_SMALL_FILE) +
      largeFiles * ACTIONS_PER_LARGE_FILE +
      partRuns * ACTIONS_PER_PART_RUN +
      pages * ACTIONS_PER_PAGE +
      (rows === 0 ? 0 : ACTIONS_PER_BATCH),
  };
}
