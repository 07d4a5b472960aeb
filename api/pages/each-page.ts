import type { Page, PageTotals } from './search-answer-shapes';
import type { JsonObject } from '../json';
import { MediaServiceError, wrongField } from '../errors';
import { unreadable } from '../answers/read-answer';
import { fingerprintOf } from './search-answer-shapes';

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

/** Throws a `ValidationError` unless `page` is unset or an integer of at least 0. */
export function checkPage(page: number | undefined): void {
  if (page === undefined || (Number.isInteger(page) && page >= 0)) return;
  throw wrongField('page', `is ${page}: it must be a whole number of at least 0`, 'Page 0 is the first.');
}

const GET_ALL = 'To get everything, {all}.';

/** Throws a `ValidationError` unless `size` is unset or an integer from `minimum` to 1000. */
export function checkSize(size: number | undefined, minimum: number): void {
  if (size === undefined || (Number.isInteger(size) && size >= minimum && size <= MAX_PAGE_SIZE)) return;
  throw wrongField('size', `is ${size}: it must be between ${minimum} and ${MAX_PAGE_SIZE}`, GET_ALL);
}

/** Throws a `ValidationError` unless `limit` is unset or an integer of at least 1. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 1)) return;
  throw wrongField('limit', `is ${limit}: it must be a whole number of at least 1`, GET_ALL);
}

/** Returns the page size of an iteration: the requested or the default size, but no more than the limit needs. */
export function iterationSize(size: number | undefined, limit: number | undefined): number {
  checkSize(size, 1);
  checkLimit(limit);
  return Math.min(size ?? DEFAULT_ITERATION_SIZE, limit ?? MAX_PAGE_SIZE);
}

const DEFAULT_ITERATION_SIZE = 500;

/** The facts of a page that paging needs, whatever its form. */
export interface PageFacts extends PageTotals {
  readonly records: number;
  /** Equal records have equal fingerprints. */
  readonly fingerprint: string;
}

interface PageWalk<P extends PageFacts> {
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
export async function* eachPage<P extends PageFacts>(walk: PageWalk<P>): AsyncGenerator<P> {
  let asked = walk.firstPage;
  let first = 0;
  let previous: PageFacts | undefined;
  let seen: readonly string[] = [];
  const so = { pages: 0, records: 0 };
  let highest = 0;
  for (let turn = 0; ; turn += 1) {
    const facts = await walk.fetch(asked).catch((error: unknown) => {
      const isCapped = so.records === COUNT_LIMIT && previous?.totalElements === COUNT_LIMIT;
      throw isCapped ? countedNoFurther(walk.operation, error) : error;
    });
    asked = (asked ?? facts.page ?? 0) + 1;
    const total = facts.totalElements ?? highest;
    if (total < highest) throw incomplete(walk.operation, `the total fell from ${highest} to ${total}`);
    highest = Math.max(highest, total);
    const repeated = facts.records > 0 && facts.fingerprint === previous?.fingerprint;
    if (facts.records === 0 || repeated) {
      const countsFromOne = repeated ? turn === 1 : turn === 0 && (facts.totalElements ?? 0) > 0;
      if (countsFromOne) {
        first = 1;
        continue;
      }
      if (!isMissingSome(facts, so.records)) {
        if (turn === 0) yield facts;
        else await requireNoneSkipped(walk, seen, first + so.records - 1);
        return;
      }
      throw tooFewRecords(walk.operation, { facts, repeated, page: asked - 1, records: so.records });
    }
    if (so.pages > 0) await requireNoneSkipped(walk, seen, first + so.records - 1);
    else first = asked - 1;
    previous = facts;
    seen = walk.recordsOf?.(facts) ?? [];
    so.pages += 1;
    so.records += facts.records;
    yield facts;
    if (isLast(facts, so, walk.size)) return;
  }
}

/**
 * Rejects if the last record of the pages so far is now one that they did not show: it came forward, since one before it
 * left the search, and it is on no later page. A total shows that only while no other record comes.
 */
async function requireNoneSkipped<P extends PageFacts>(
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

/** Adds the facts of a page of records. */
export function withFacts(page: Page): Page & PageFacts {
  return { ...page, records: page.items.length, fingerprint: fingerprintOf(page.items) };
}

function isMissingSome(facts: PageFacts, records: number): boolean {
  return facts.totalElements !== undefined && facts.totalElements > records;
}

/** The most reliable total decides. If it is below what was read, only an empty or repeated page ends the walk. */
function isLast(facts: PageFacts, so: { pages: number; records: number }, size: number): boolean {
  const { totalElements, totalPages } = facts;
  if (totalElements !== undefined)
    return totalElements === so.records && (totalElements !== COUNT_LIMIT || facts.records < size);
  if (totalPages !== undefined) return totalPages === so.pages;
  return facts.records < Math.min(size, facts.size || size);
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
  { facts, repeated, page, records }: { facts: PageFacts; repeated: boolean; page: number; records: number },
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
