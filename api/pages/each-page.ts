import type { Page, PageTotals } from './search-answer-shapes';
import type { JsonObject } from '../json';
import { MediaServiceError, wrongField } from '../errors';
import { unreadable } from '../answers/read-answer';

/** Which page of a search to read. */
export interface OnePageRequest {
  /** Counts from 0. Unset: not sent; the service's default applies. */
  readonly page?: number;
  /** Up to 1000. Unset: not sent; the service's default applies. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/** How to read all pages of a search. */
export interface AllPagesRequest {
  /** Records per request, 1 to 1000. Default 500. */
  readonly size?: number;
  /** Stop after this many records. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Largest page size of either search. api.md, "Limits". */
export const MAX_PAGE_SIZE = 1000;

/** Throws a `ValidationError` for a number that is given and wrong. A size is at most 1000. */
export function checkPaging(
  field: 'page' | 'size' | 'limit',
  value: number | undefined,
  least: number,
): void {
  const most = field === 'size' ? MAX_PAGE_SIZE : Infinity;
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
  const rule = field === 'size' ? `between ${least} and ${most}` : `a whole number of at least ${least}`;
  throw wrongField(field, `is ${value}: it must be ${rule}`, 'To get everything, {all}.');
}

/** Returns the page size of an iteration: the requested or the default size, but no more than the limit needs. */
export function iterationSize({ size, limit }: Pick<AllPagesRequest, 'size' | 'limit'>): number {
  checkPaging('size', size, 1);
  checkPaging('limit', limit, 1);
  return Math.min(size ?? DEFAULT_ITERATION_SIZE, limit ?? MAX_PAGE_SIZE);
}

const DEFAULT_ITERATION_SIZE = 500;

/** What paging needs of a page, whatever the form of its records. */
interface AnyPage extends PageTotals {
  readonly items: readonly unknown[];
  /** Unset: as many as items. */
  readonly records?: number;
}

interface PageWalk<P extends AnyPage> {
  /** In the interface's words, for errors. */
  readonly operation: string;
  /** Records to request per page. */
  readonly size: number;
  /** Number of the first page. Unset: no number is sent, and the service's own count applies. */
  readonly firstPage?: number;
  /** `size`: other than the walk's. */
  fetch(page: number | undefined, size?: number): Promise<P>;
  /** What is different for each record of a page. Set: records may leave the search, see `requireNoneSkipped`. */
  readonly recordsOf?: ((page: P) => readonly string[]) | undefined;
}

/** Search engines count no further by default: a total of this many may mean more. */
const COUNT_LIMIT = 10_000;

/**
 * Yields every page once, in order. It yields an empty page only if that is the first one.
 *
 * It ends when the announced total is reached. If no total is announced, it ends at a short, empty or repeated page. If
 * page 1 repeats page 0, or page 0 is empty although there are records, the service counts from 1.
 *
 * Missing records must never look like the end. So it rejects with `UnreadableAnswer` if a page is empty or repeated
 * before the announced total is reached, or if the total falls or `recordsOf` shows that records left the search: they
 * moved the others, and one may be skipped.
 */
export async function* eachPage<P extends AnyPage>(walk: PageWalk<P>): AsyncGenerator<P> {
  let asked = walk.firstPage;
  let first = 0;
  let previous = '';
  let seen: readonly string[] = [];
  const so = { pages: 0, records: 0 };
  let highest = 0;
  for (let turn = 0; ; turn += 1) {
    const facts = await walk.fetch(asked).catch((error: unknown) => {
      const isCapped = so.records === COUNT_LIMIT && highest === COUNT_LIMIT;
      throw isCapped ? countedNoFurther(walk.operation, error) : error;
    });
    asked = (asked ?? facts.page ?? 0) + 1;
    const total = facts.totalElements ?? highest;
    if (total < highest) throw incomplete(walk.operation, `the total fell from ${highest} to ${total}`);
    highest = Math.max(highest, total);
    const { records = facts.items.length } = facts;
    const shown = JSON.stringify(facts.items);
    const repeated = records > 0 && shown === previous;
    if (records === 0 || repeated) {
      const countsFromOne = repeated ? turn === 1 : turn === 0 && (facts.totalElements ?? 0) > 0;
      if (countsFromOne) {
        first = 1;
        continue;
      }
      if ((facts.totalElements ?? 0) <= so.records) {
        if (turn === 0) yield facts;
        else await requireNoneSkipped(walk, seen, first + so.records - 1);
        return;
      }
      throw tooFewRecords(walk.operation, { facts, repeated, page: asked - 1, records: so.records });
    }
    if (so.pages > 0) await requireNoneSkipped(walk, seen, first + so.records - 1);
    else first = asked - 1;
    previous = shown;
    seen = walk.recordsOf?.(facts) ?? [];
    so.pages += 1;
    so.records += records;
    yield facts;
    if (isLast({ ...facts, records }, so, walk.size)) return;
  }
}

/**
 * Rejects if the last record of the pages so far is now one that they did not show: it came forward, since one before it
 * left the search, and it is on no later page. A total shows that only while no other record comes.
 */
async function requireNoneSkipped<P extends AnyPage>(
  walk: PageWalk<P>,
  seen: readonly string[],
  position: number,
): Promise<void> {
  const last = walk.recordsOf?.(await walk.fetch(position, 1)).at(-1);
  if (last !== undefined && !seen.includes(last)) throw incomplete(walk.operation, 'records moved');
}

/** Reads all records again, twice at most, if some left the search meanwhile. `read` must keep nothing of a failed try. */
export async function readAgainIfFewer<T>(read: () => Promise<T>): Promise<T> {
  for (let again = 2; ; again -= 1) {
    try {
      return await read();
    } catch (error) {
      if (again === 0 || !fewer.has(error as object)) throw error;
    }
  }
}

/** The errors of `incomplete`. */
const fewer = new WeakSet<object>();

/** Yields the items of all pages, at most `limit`. */
export async function* eachItem(
  pages: AsyncIterable<Page>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<JsonObject> {
  let left = limit;
  for await (const { items } of pages) {
    yield* items.slice(0, left);
    left -= items.length;
    if (left <= 0) return;
  }
}

/** The most reliable total decides. If it is below what was read, only an empty or repeated page ends the walk. */
function isLast(
  facts: PageTotals & { readonly records: number },
  so: { pages: number; records: number },
  size: number,
): boolean {
  const { totalElements, totalPages, records } = facts;
  if (totalElements !== undefined)
    return totalElements === so.records && (totalElements !== COUNT_LIMIT || records < size);
  if (totalPages !== undefined) return totalPages === so.pages;
  return records < Math.min(size, facts.size || size);
}

/** Returns the error itself if the service did not refuse the page, but was away. */
function countedNoFurther(operation: string, error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const { status = 0 } = error.facts;
  if (status < 400 || status > 499) return error;
  return new MediaServiceError(
    error.code,
    `${operation}: the service counts to ${COUNT_LIMIT} records and returns no further page, so there may be more (${error.message})`,
    { ...error.facts, hint: 'Use shorter periods or a stricter filter.' },
    { cause: error },
  );
}

function tooFewRecords(
  operation: string,
  { facts, repeated, page, records }: { facts: PageTotals; repeated: boolean; page: number; records: number },
): MediaServiceError {
  const total = facts.totalElements ?? 0;
  const what = `page ${page} is ${repeated ? 'the previous page again' : 'empty'}, after ${records} of ${total} announced records`;
  return unreadable(operation, what, {
    hint: 'The service returns no pages this far: use narrower ranges or a stricter filter.',
    details: { page, records, totalElements: total },
  });
}

function incomplete(operation: string, because: string): MediaServiceError {
  const what = `incomplete, because ${because} while pages were read: a record that left the search moved the others, and one may have been skipped`;
  const error = unreadable(operation, what, {
    hint: 'Run it again. If this continues, narrow the search; for deliveries, read shorter periods, or without a filter by status.',
  });
  fewer.add(error);
  return error;
}
