import { Refusal } from './http/answer';

/** A page as asked for. */
export interface PageWish {
  /** Counts from 0. */
  readonly index: number;
  /** As the client counts and as the answer shows it. */
  readonly page: number;
  readonly size: number;
}

export interface PageRules {
  readonly base: 0 | 1;
  readonly leastSize: 0 | 1;
  readonly mostSize: number;
  /** A size above `mostSize` is taken as `mostSize`. */
  readonly clamps: boolean;
}

export interface PageOf<T> extends PageWish {
  readonly items: readonly T[];
  readonly totalElements: number;
  readonly totalPages: number;
}

/** Reads `page` (default: the first) and `size` (default 20). @throws Refusal 400 for what is no whole number or out of bounds. */
export function readPage(query: URLSearchParams, rules: PageRules): PageWish {
  const page = wholeNumber('page', query, rules.base);
  const size = wholeNumber('size', query, 20);
  if (page < 0) throw new Refusal(400, 'page must not be below 0.');
  if (size < rules.leastSize) throw new Refusal(400, `size must not be below ${rules.leastSize}.`);
  if (size > rules.mostSize && !rules.clamps)
    throw new Refusal(400, `size must not be above ${rules.mostSize}.`);
  const first = Math.max(page, rules.base);
  return { index: first - rules.base, page: first, size: Math.min(size, rules.mostSize) };
}

function wholeNumber(name: string, query: URLSearchParams, otherwise: number): number {
  const values = query.getAll(name);
  if (values.length > 1) throw new Refusal(400, `${name} is given more than once.`);
  const [text] = values;
  if (text === undefined) return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal(400, `${name} is not a whole number.`);
  return Number(text);
}

export function cutPage<T>(all: readonly T[], wish: PageWish): PageOf<T> {
  const from = wish.index * wish.size;
  return {
    ...wish,
    items: all.slice(from, from + wish.size),
    totalElements: all.length,
    totalPages: wish.size === 0 ? 0 : Math.ceil(all.length / wish.size),
  };
}

export function refuseUnknownParameters(query: URLSearchParams, known: readonly string[]): void {
  const unknown = [...query.keys()].filter((key) => !known.includes(key));
  if (unknown.length > 0)
    throw new Refusal(400, `Unknown query parameters: ${unknown.slice(0, 5).join(', ')}.`);
}
