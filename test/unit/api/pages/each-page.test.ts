import fc from 'fast-check';
import { MediaServiceError } from '../../../../api/errors';
import { eachPage } from '../../../../api/pages/each-page';
import type { PageTotals } from '../../../../api/pages/search-answer-shapes';

interface FakePage extends PageTotals {
  readonly items: readonly number[];
}

interface Library {
  readonly records: number;
  readonly size: number;
  /** Number of the first page. */
  readonly base: 0 | 1;
  /** Which facts the service reports. */
  readonly reports: 'nothing' | 'totalElements' | 'totalPages' | 'size' | 'all';
  /** The answer beyond the last page, and for page 0 if pages count from 1. */
  readonly beyond: 'empty' | 'clamped';
}

function pageOf(library: Library, page: number | undefined): FakePage {
  const { records, size, base, reports, beyond } = library;
  const pages = Math.ceil(records / size);
  const asked = (page ?? base) - base;
  const index = beyond === 'clamped' ? Math.max(0, Math.min(asked, pages - 1)) : asked;
  const items = Array.from({ length: records }, (_, id) => id).slice(
    Math.max(0, index * size),
    Math.max(0, (index + 1) * size),
  );
  const all = { totalElements: records, totalPages: pages, size, page: index + base };
  if (reports === 'all') return { items, ...all };
  return reports === 'nothing' ? { items } : { items, [reports]: all[reports] };
}

async function walk(
  fetch: (page: number | undefined) => FakePage,
  size: number,
  firstPage?: number,
): Promise<{ ids: number[]; asked: (number | undefined)[] }> {
  const ids: number[] = [];
  const asked: (number | undefined)[] = [];
  const pages = eachPage({
    operation: 'media search',
    size,
    ...(firstPage === undefined ? {} : { firstPage }),
    fetch: async (page) => {
      asked.push(page);
      return fetch(page);
    },
  });
  for await (const page of pages) ids.push(...page.items);
  return { ids, asked };
}

const library = fc.record<Library>({
  records: fc.integer({ min: 0, max: 60 }),
  size: fc.integer({ min: 1, max: 12 }),
  base: fc.constantFrom(0, 1),
  reports: fc.constantFrom('nothing', 'totalElements', 'totalPages', 'size', 'all'),
  beyond: fc.constantFrom('empty', 'clamped'),
});

test('every record comes once and in order, however the service counts pages and answers beyond the end', async () => {
  await fc.assert(
    fc.asyncProperty(library, fc.constantFrom(0, undefined), async (from, firstPage) => {
      // If a service counts from 1, answers page 0 with nothing and reports no facts, that looks like "no records".
      const showsTotal = ['totalElements', 'all'].includes(from.reports);
      fc.pre(from.base === 0 || from.beyond === 'clamped' || firstPage !== 0 || showsTotal);
      const { ids, asked } = await walk((page) => pageOf(from, page), from.size, firstPage);
      expect(ids).toEqual(Array.from({ length: from.records }, (_, id) => id));
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(from.records / from.size) + 3);
    }),
    { numRuns: 500 },
  );
});

describe('missing records are not taken for the end, since', () => {
  const total = { totalElements: 100 };

  test('an empty page before the announced total is an error', async () => {
    const fetch = (page = 0): FakePage => ({ items: page < 3 ? [page * 2, page * 2 + 1] : [], ...total });
    await expect(walk(fetch, 2, 0)).rejects.toMatchObject({
      code: 'UnreadableAnswer',
      message: 'media search: page 3 is empty, after 6 of 100 announced records',
    });
  });

  test('a repeated page before the announced total is an error', async () => {
    const fetch = (page = 0): FakePage => ({ items: [Math.min(page, 3)], ...total });
    await expect(walk(fetch, 1, 0)).rejects.toThrow('page 4 is the previous page again, after 4 of 100');
  });

  test('a short page does not end the reading before the announced total', async () => {
    const pages = [[0, 1], [2], [4, 5]];
    const fetch = (page = 0): FakePage => ({ items: pages[page] ?? [], totalElements: 5 });
    expect((await walk(fetch, 2, 0)).ids).toEqual([0, 1, 2, 4, 5]);
  });

  test('a page that the service capped does not look short if the answer shows its size', async () => {
    const fetch = (page = 0): FakePage => ({ items: page < 2 ? [page * 2, page * 2 + 1] : [4], size: 2 });
    expect((await walk(fetch, 1000, 0)).ids).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a service that counts no further than 10,000', () => {
  const counted = (records: number, page: number | undefined): FakePage => ({
    ...pageOf({ records, size: 1000, base: 0, reports: 'nothing', beyond: 'empty' }, page),
    totalElements: Math.min(records, 10_000),
  });

  test.each([10_000, 12_500, 13_000])('gives all %d records', async (records) => {
    const { ids } = await walk((page) => counted(records, page), 1000);
    expect(ids).toHaveLength(records);
  });

  const walkedUntil = (error: MediaServiceError): ReturnType<typeof walk> =>
    walk((page) => {
      if (page === 10) throw error;
      return counted(12_500, page);
    }, 1000);

  test('says nothing of that if it is away for the next page', async () => {
    const away = new MediaServiceError('ServiceFailed', 'media search failed (503)', { status: 503 });
    await expect(walkedUntil(away)).rejects.toBe(away);
  });

  test('says so if it refuses the next page', async () => {
    const refused = new MediaServiceError('RequestRefused', 'media search failed (400)', { status: 400 });
    await expect(walkedUntil(refused)).rejects.toMatchObject({
      code: 'RequestRefused',
      message:
        'media search: the service counts to 10000 records and returns no further page, so there may be more (media search failed (400))',
      facts: { status: 400, hint: 'Use shorter periods or a stricter filter.' },
    });
  });
});
