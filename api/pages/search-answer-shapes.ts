import { given, isJsonObject } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { outlineOf, parseJson, unreadable } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';

/** What an answer says about its page and all pages. A field that it does not contain is unset. */
export interface PageTotals {
  /** The page's number in the service's own count. */
  readonly page?: number;
  readonly size?: number;
  readonly totalElements?: number;
  readonly totalPages?: number;
}

/** One page of a search. */
export interface Page extends PageTotals {
  readonly items: JsonObject[];
  /** The whole answer, so that no unknown field is lost. */
  readonly raw?: JsonValue;
}

const ARRAY_KEYS = ['content', 'items', 'data', 'results', 'media'];
const TOTALS_KEYS = ['page', 'paging', 'pagination', 'pageable', 'meta'];

/** The headers and fields that may hold a total, the likeliest first. */
const TOTALS: Readonly<Record<keyof PageTotals, readonly string[]>> = {
  totalElements: ['x-total-elements', 'x-total-count', 'totalElements', 'totalItems', 'totalCount', 'total'],
  totalPages: ['x-total-pages', 'totalPages', 'pageCount'],
  page: ['x-page', 'page', 'number', 'pageNumber', 'currentPage', 'pageIndex'],
  size: ['x-size', 'size', 'pageSize', 'perPage', 'limit'],
};

/**
 * Reads one page of any shape that the interface allows: an array, or an object whose array is in `content`, `items`,
 * `data`, `results` or `media`, or one level deeper. Totals come from the X-* headers that the interface names, else
 * from fields of the body. Throws `UnreadableAnswer` with the answer's outline for anything else.
 */
export function readPage(operation: string, answer: ServiceAnswer): Page {
  if (answer.status === 204) return { items: [], ...totalsIn([answer.headers]) };
  const raw = parseJson(operation, answer);
  const found = findItems(raw);
  if (found === undefined || !found.items.every(isJsonObject))
    throw unreadable(
      operation,
      `expected an array of objects, or an object that holds one under ${ARRAY_KEYS.join(', ')}; the answer is ${outlineOf(raw)}`,
      {
        status: answer.status,
        hint: 'Report this outline: the shape of the answer is not known to this version.',
      },
    );
  const items = found.items.filter(isJsonObject);
  return { items, ...totalsIn([answer.headers, ...found.around]), raw };
}

/** `around`: the objects around the array, outermost last. Totals may be in them. */
function findItems(raw: JsonValue) {
  if (Array.isArray(raw)) return { items: raw, around: [] };
  if (!isJsonObject(raw)) return undefined;
  for (const inner of [raw, ...ARRAY_KEYS.map((key) => raw[key]).filter(isJsonObject)]) {
    const items = ARRAY_KEYS.map((key) => inner[key]).find((value) => Array.isArray(value));
    if (items !== undefined) return { items, around: inner === raw ? [raw] : [inner, raw] };
  }
  const hal = raw['_embedded'];
  const [embedded] = isJsonObject(hal) ? Object.values(hal).filter((value) => Array.isArray(value)) : [];
  if (embedded !== undefined) return { items: embedded, around: [raw] };
  // HAL leaves out an empty list.
  if (isJsonObject(raw['page']) && raw['page']['totalElements'] === 0) return { items: [], around: [raw] };
  // Some serialisers write an empty list as null.
  return ARRAY_KEYS.some((key) => raw[key] === null) ? { items: [], around: [raw] } : undefined;
}

/** Reads totals from headers and from objects of a body. What is no count is ignored; the first name that is one counts. */
export function totalsIn(places: readonly Readonly<Record<string, JsonValue>>[]): PageTotals {
  const objects = places.flatMap((place) => [
    place,
    ...TOTALS_KEYS.map((key) => place[key]).filter(isJsonObject),
  ]);
  const found = Object.entries(TOTALS).map(([total, names]) => {
    const values = names.flatMap((name) => objects.map((one) => toCount(one[name])));
    return [total, values.find((value) => value !== undefined)];
  });
  return given(Object.fromEntries(found) as PageTotals);
}

function toCount(value: JsonValue | undefined): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
