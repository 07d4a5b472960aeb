/** The service gives at most so many records a page (api.md, Limits). */
export const RECORDS_PER_PAGE = 1000;

export interface ReadingCost {
  /** Deliveries of the status; undefined: the service does not tell, so that nothing can be asked without reading. */
  readonly announced: number | undefined;
  readonly intervals: number;
  /** Whether the records are needed anyhow, to count them by what they name. */
  readonly grouped: boolean;
  /** Records that may still be read. */
  readonly budget: number;
}

/**
 * Whether the records of a status are read: because only they tell, or because their pages are fewer requests than one count query per
 * interval. One interval is the whole window, which is counted already.
 */
export function readsRecords({ announced, intervals, grouped, budget }: ReadingCost): boolean {
  if (announced === 0) return false;
  if (announced === undefined || grouped) return true;
  const queries = intervals === 1 ? 0 : intervals;
  return announced <= budget && Math.ceil(announced / RECORDS_PER_PAGE) < queries;
}
