import { createHash } from 'node:crypto';
import { isJsonObject } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { outlineOf, parseJson, unreadable } from '../answers/read-answer';
import type { ServiceAnswer } from '../answers/read-answer';

/** One page of a search. A field that the answer does not contain is unset. */
export interface Page {
  readonly items: JsonObject[];
  /** The page's number in the service's own count. */
  readonly page?: number;
  readonly size?: number;
  readonly totalElements?: number;
  readonly totalPages?: number;
  /** The whole answer, so that no unknown field is lost. */
  readonly raw?: JsonValue;
}

export type PageTotals = Pick<Page, 'page' | 'size' | 'totalElements' | 'totalPages'>;

const ARRAY_KEYS = ['content', 'items', 'data', 'results', 'media'];
const TOTALS_KEYS = ['page', 'paging', 'pagination', 'pageable', 'meta'];

interface TotalsField {
  readonly name: keyof PageTotals;
  readonly fields: readonly string[];
  readonly headers: readonly string[];
}
const TOTALS: readonly TotalsField[] = [
  {
    name: 'totalElements',
    fields: ['totalElements', 'totalItems', 'totalCount', 'total'],
    headers: ['x-total-elements', 'x-total-count'],
  },
  { name: 'totalPages', fields: ['totalPages', 'pageCount'], headers: ['x-total-pages'] },
  { name: 'page', fields: ['page', 'number', 'pageNumber', 'currentPage', 'pageIndex'], headers: ['x-page'] },
  { name: 'size', fields: ['size', 'pageSize', 'perPage', 'limit'], headers: ['x-size'] },
];

/**
 * Reads one page of any shape that the interface allows: an array, or an object whose array is in `content`, `items`,
 * `data`, `results` or `media`, or one level deeper. Totals come from the X-* headers that the interface names, else
 * from fields of the body. Throws `UnreadableAnswer` with the answer's outline for anything else.
 */
export function readPage(operation: string, answer: ServiceAnswer): Page {
  if (answer.status === 204) return { items: [], ...totalsOfHeaders(answer.headers) };
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
  return { items, ...totalsOfBodies(found.around), ...totalsOfHeaders(answer.headers), raw };
}

/** Reads totals from X-Total-Elements, X-Total-Pages, X-Page and X-Size. It ignores a header that is not a count. */
export function totalsOfHeaders(headers: Readonly<Record<string, string>>): PageTotals {
  return pickTotals((total) => total.headers.map((name) => headers[name]));
}

/** Equal items give the same text, whatever else the answer contains. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64');
}

interface FoundItems {
  readonly items: readonly JsonValue[];
  /** The objects around the array, outermost last. Totals may be in them. */
  readonly around: readonly JsonObject[];
}

function findItems(raw: JsonValue): FoundItems | undefined {
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

function totalsOfBodies(around: readonly JsonObject[]): PageTotals {
  const objects = around.flatMap((object) => [
    object,
    ...TOTALS_KEYS.map((key) => object[key]).filter(isJsonObject),
  ]);
  return pickTotals((total) => total.fields.flatMap((field) => objects.map((one) => one[field])));
}

function pickTotals(candidates: (total: TotalsField) => readonly (JsonValue | undefined)[]): PageTotals {
  const totals: { -readonly [name in keyof PageTotals]: PageTotals[name] } = {};
  for (const total of TOTALS) {
    const count = candidates(total)
      .map(toCount)
      .find((value) => value !== undefined);
    if (count !== undefined) totals[total.name] = count;
  }
  return totals;
}

function toCount(value: JsonValue | undefined): number | undefined {
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
