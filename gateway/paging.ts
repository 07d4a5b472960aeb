import { systemClock } from '../api/clock';
import { parseWhen } from '../api/when';
import type { Call } from './route';
import { text, whole } from './schemas';

const DEFAULT_LIMIT = 100;

/** How lists are paged. */
export const PAGED = {
  limit: whole('Items of a page; 100 otherwise', 1, 1_000),
  // Temporal's lists are read from their beginning, so far pages cost more.
  page: text('The `next` of the page before', { pattern: '^[1-9][0-9]{0,4}$' }),
};

/** Fields of a list of what ended in a period. The other filters must then be unset. */
export const ENDED_QUERY = {
  endedFrom: text('Only what ended at this time or later, latest end first', { maxLength: 50 }),
  endedTo: text('Only what ended before this time', { maxLength: 50 }),
};

export function endedIn(query: Call['query']): { readonly from: number; readonly to: number } | undefined {
  const { endedFrom, endedTo } = query as Readonly<Record<string, string | undefined>>;
  if (endedFrom === undefined && endedTo === undefined) return undefined;
  const from = momentOf('endedFrom', endedFrom) ?? 0;
  return { from, to: momentOf('endedTo', endedTo) ?? systemClock.now() };
}

export function momentOf(field: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(parseWhen(text, { now: systemClock.now(), field }));
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Unset: there is no more. */
  readonly next?: string;
}

/** One page of a list that can only be read from its beginning. */
export async function pagedBy<Item>(
  { limit = DEFAULT_LIMIT, page }: Call['query'],
  read: (limit: number) => Promise<readonly Item[]>,
): Promise<Page<Item>> {
  const offset = Number(page ?? 0);
  const end = offset + Number(limit);
  const items = await read(end + 1);
  return { items: items.slice(offset, end), ...(items.length > end ? { next: String(end) } : {}) };
}
