/** The maximum number of records per page (api.md, Limits). */
export const RECORDS_PER_PAGE = 1000;

interface ReadingCost {
  /** Deliveries with the status. Undefined: the service does not return it, so only reading can count them. */
  readonly announced: number | undefined;
  readonly intervals: number;
  /** Whether the records are needed anyway, to group them. */
  readonly grouped: boolean;
  /** Number of records that may still be read. */
  readonly budget: number;
}

/**
 * Whether to read the records of a status: because only they contain the counts, or because their pages need fewer
 * requests than one count query per interval. A single interval is the whole period, which is counted already.
 */
export function readsRecords({ announced, intervals, grouped, budget }: ReadingCost): boolean {
  if (announced === 0) return false;
  if (announced === undefined || grouped) return true;
  const queries = intervals === 1 ? 0 : intervals;
  return announced <= budget && Math.ceil(announced / RECORDS_PER_PAGE) < queries;
}
