import type { Json, JsonRecord } from '../json';
import type { PageOf } from '../paging';
import type { ShapeChoice } from './shapes';

type PageShape = (page: PageOf<JsonRecord>) => Json;

const named = (key: string): PageShape => {
  return ({ items, index: _, ...counts }) => ({ [key]: [...items], ...counts });
};

const content = ({ items, page, index, ...counts }: PageOf<JsonRecord>): JsonRecord => ({
  content: [...items],
  ...counts,
  number: page,
  numberOfElements: items.length,
  first: index === 0,
  last: index + 1 >= counts.totalPages,
  empty: items.length === 0,
});

const PAGE_SHAPES: Readonly<Record<string, PageShape>> = {
  content,
  array: ({ items }) => [...items],
  items: named('items'),
  data: ({ items, totalElements, page, size }) => ({ data: [...items], total: totalElements, page, size }),
  results: named('results'),
  media: named('media'),
  nested: (page) => ({ data: content(page) }),
  'page-object': ({ items, totalElements, totalPages, page, size }) => ({
    content: [...items],
    page: { size, number: page, totalElements, totalPages },
  }),
  'no-totals': ({ items }) => ({ content: [...items] }),
};

/** The body of a page of `search` or `webhooks` in the chosen shape. */
export function pageBody(
  operation: 'search' | 'webhooks',
  page: PageOf<JsonRecord>,
  shapes: ShapeChoice,
): Json {
  const [, shape = content] =
    Object.entries(PAGE_SHAPES).find(([key]) => shapes.has(`${operation}-${key}`)) ?? [];
  return shape(page);
}

/** Paging details as headers (api.md, webhook search). */
export function pageHeaders(page: PageOf<unknown>): Record<string, string> {
  return {
    'x-total-elements': String(page.totalElements),
    'x-total-pages': String(page.totalPages),
    'x-page': String(page.page),
    'x-size': String(page.size),
  };
}
