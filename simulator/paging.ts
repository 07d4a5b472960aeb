import { refuseUnless } from './http/answer';

/** A requested page. */
export interface PageRequest {
  /** Counts from 0. */
  readonly index: number;
  /** The page number as the client counts, repeated in the answer. */
  readonly page: number;
  readonly size: number;
}

interface PageRules {
  readonly base: 0 | 1;
  readonly minSize: 0 | 1;
}

/** api.md, "Limits". */
const MAX_SIZE = 1000;

export interface PageOf<T> extends PageRequest {
  readonly items: readonly T[];
  readonly totalElements: number;
  readonly totalPages: number;
}

/**
 * Reads `page` (default: the first) and `size` (default 20).
 * @throws Refusal 400 unless both are whole numbers within the limits.
 */
export function readPage(query: URLSearchParams, rules: PageRules): PageRequest {
  const page = integerParameter('page', query, rules.base);
  const size = integerParameter('size', query, 20);
  refuseUnless(page >= 0, 'page must not be below 0.');
  refuseUnless(size >= rules.minSize, `size must not be below ${rules.minSize}.`);
  refuseUnless(size <= MAX_SIZE, `size must not be above ${MAX_SIZE}.`);
  const first = Math.max(page, rules.base);
  return { index: first - rules.base, page: first, size };
}

function integerParameter(name: string, query: URLSearchParams, otherwise: number): number {
  const text = single(name, query);
  if (text === undefined) return otherwise;
  refuseUnless(/^-?\d{1,9}$/.test(text), `${name} is not a whole number.`);
  return Number(text);
}

export function cutPage<T>(all: readonly T[], request: PageRequest): PageOf<T> {
  const from = request.index * request.size;
  return {
    ...request,
    items: all.slice(from, from + request.size),
    totalElements: all.length,
    totalPages: request.size === 0 ? 0 : Math.ceil(all.length / request.size),
  };
}

export function single(name: string, query: URLSearchParams): string | undefined {
  const [value, second] = query.getAll(name);
  refuseUnless(second === undefined, `${name} is given more than once.`);
  return value;
}
