import { expect, test } from '@jest/globals';
import { textAt } from '../../../../api/json';
import type { Page } from '../../../../api/pages/search-answer-shapes';
import { readStablePages } from '../../../../api/pages/read-stable-pages';
import type { StableRecords } from '../../../../api/pages/read-stable-pages';

const PAGE_SIZE = 2;

interface Shelf {
  ids: string[];
  /** Changes the list after the page of this number, counted from 1 over all passes. */
  readonly changes?: Readonly<Record<number, (ids: string[]) => string[]>>;
  readonly totals?: boolean;
}

/** Reads a list that changes meanwhile, and also returns the number of requested pages. */
async function read(
  shelf: Shelf,
  maxItems = Infinity,
): Promise<{ result: StableRecords | 'tooMany'; pages: number }> {
  let pages = 0;
  async function* walk(): AsyncGenerator<Page> {
    for (let index = 0; ; index += 1) {
      pages += 1;
      const items = shelf.ids.slice(index * PAGE_SIZE, (index + 1) * PAGE_SIZE).map((id) => ({ id }));
      yield { items, ...(shelf.totals === false ? {} : { totalElements: shelf.ids.length }) };
      shelf.ids = shelf.changes?.[pages]?.(shelf.ids) ?? shelf.ids;
      if (items.length < PAGE_SIZE) return;
    }
  }
  const identity = (record: Page['items'][number]): string => textAt(record, ['id']) ?? '';
  return { result: await readStablePages({ pages: walk, identity, maxItems }), pages };
}

const idsOf = (result: StableRecords | 'tooMany'): string[] =>
  result === 'tooMany' ? [] : [...result.records.keys()].sort();
const without =
  (id: string) =>
  (ids: string[]): string[] =>
    ids.filter((one) => one !== id);

test('stable pages with a total are read once', async () => {
  const { result, pages } = await read({ ids: ['a', 'b', 'c'] });
  expect([idsOf(result), pages]).toEqual([['a', 'b', 'c'], 2]);
  expect(result).toMatchObject({ complete: true });
});

test('pages without a total are read twice', async () => {
  const { result, pages } = await read({ ids: ['a', 'b', 'c'], totals: false });
  expect([idsOf(result), pages]).toEqual([['a', 'b', 'c'], 4]);
  expect(result).toMatchObject({ complete: true });
});

test('a single page is read once, with or without a total', async () => {
  expect((await read({ ids: ['a'], totals: false })).pages).toBe(1);
});

test('the second pass finds a record that a removal moved across the edge of a page', async () => {
  const { result } = await read({ ids: ['a', 'b', 'c', 'd', 'e'], changes: { 1: without('a') } });
  expect(idsOf(result)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(result).toMatchObject({ complete: true });
});

test('a record that an insertion repeats comes once', async () => {
  const { result } = await read({ ids: ['a', 'b', 'c'], changes: { 1: (ids) => ['new', ...ids] } });
  expect(idsOf(result)).toEqual(['a', 'b', 'c', 'new']);
});

test('pages that keep changing return all that was seen, and say that something may be missing', async () => {
  const grow = (ids: string[]): string[] => [`n${ids.length}`, ...ids];
  const changes = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index + 1, grow]));
  const { result } = await read({ ids: ['a', 'b', 'c'], changes });
  expect(result).toMatchObject({ complete: false });
  expect(idsOf(result)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
});

test.each([
  { what: 'an announced total', totals: true, pages: 1 },
  { what: 'records that came', totals: false, pages: 2 },
])('$what above the maximum ends the reading', async ({ totals, pages }) => {
  expect(await read({ ids: ['a', 'b', 'c', 'd', 'e'], totals }, 3)).toEqual({ result: 'tooMany', pages });
});
