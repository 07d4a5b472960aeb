import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ManifestMistake, ManifestRow } from '../../../../../../manifest/row';
import { pageDigest, plannedRow } from '../../../../../../temporal/activities/batch/ledger/planned-row';
import type { PlannedRow } from '../../../../../../temporal/activities/batch/ledger/planned-row';
import { MAX_PAGE_BYTES, planPages } from '../../../../../../temporal/activities/batch/ledger/plan-pages';
import type { StoredPage } from '../../../../../../temporal/activities/batch/ledger/stored-plan';
import { sealKeyOf } from '../../../../../../temporal/seal';

const key = sealKeyOf('a secret');

function rowsOf(count: number, title = 'Film'): ManifestRow[] {
  return Array.from({ length: count }, (_, line) => ({
    line: line + 1,
    id: `row-${line}`,
    source: `/films/${line}.mp4`,
    media: { title: `${title} ${line}` },
  }));
}

interface Kept {
  readonly pages: readonly StoredPage[];
  readonly rows: readonly (readonly PlannedRow[])[];
}

/** Plans, and keeps what was written. */
async function plan(
  items: readonly (ManifestRow | ManifestMistake)[],
  pageRows: number,
  old: Kept = { pages: [], rows: [] },
): Promise<Kept> {
  const rows: (readonly PlannedRow[])[] = [];
  const pages = await planPages({
    rows: (async function* () {
      yield* items;
    })(),
    pageRows,
    old: old.pages,
    batchId: 'films',
    planned: (row) => plannedRow(row, key),
    readOld: async (page) => old.rows[page] ?? [],
    write: async (page, written) => {
      rows[page] = written;
    },
  });
  return { pages, rows };
}

describe('a manifest that is cut into pages', () => {
  it('keeps every row in its order, on pages that are no larger than they may be', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        async (count, pageRows) => {
          const { rows, pages } = await plan(rowsOf(count), pageRows);
          expect(rows.flat().map(({ row }) => row)).toEqual(rowsOf(count));
          expect(pages.map(({ rows: length }) => length)).toEqual(rows.map(({ length }) => length));
          expect(Math.max(...rows.map(({ length }) => length))).toBe(Math.min(count, pageRows));
        },
      ),
    );
  });

  it('keeps the pages of an earlier start, and makes new ones of rows that were added, whatever the size of pages is now', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 20 }),
        fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
        async (count, more, [before, now]) => {
          const old = await plan(rowsOf(count), before);
          const grown = await plan(rowsOf(count + more), now, old);
          expect(grown.pages.slice(0, old.pages.length)).toEqual(old.pages);
          expect(grown.rows.flat().map(({ row }) => row)).toEqual(rowsOf(count + more));
        },
      ),
    );
  });

  it('ends a page early where its rows are large', async () => {
    const large = rowsOf(4).map((row) => ({ ...row, metadata: { text: 'x'.repeat(MAX_PAGE_BYTES / 3) } }));
    expect((await plan(large, 250)).pages.map(({ rows }) => rows)).toEqual([2, 2]);
  });

  it('takes a pre-signed address with another query for the same row, and seals it anew', async () => {
    const at = (query: string): ManifestRow[] => [
      { line: 1, id: 'a', source: `https://cdn.example/films/a.mp4?${query}`, media: {} },
    ];
    const old = await plan(at('X-Amz-Signature=first'), 5);
    const now = await plan(at('X-Amz-Signature=second'), 5, old);
    expect(now.pages).toEqual(old.pages);
    expect(JSON.stringify(now.rows)).not.toContain('X-Amz-Signature');
    expect(pageDigest(now.rows[0] ?? [])).toBe(old.pages[0]?.digest);
  });

  it.each([
    [
      'a row that changed',
      (rows: ManifestRow[]) =>
        rows.map((row) => (row.line === 2 ? { ...row, media: { title: 'Other' } } : row)),
      '"row-1" (line 2) differs in title.',
    ],
    [
      'a row of which several cells changed',
      (rows: ManifestRow[]) =>
        rows.map((row) =>
          row.line === 2 ? { ...row, source: '/other.mp4', media: { ...row.media, creator: 'A' } } : row,
        ),
      '"row-1" (line 2) differs in source and creator.',
    ],
    ['a row that was taken out', (rows: ManifestRow[]) => rows.slice(0, 3), '"row-3" (line 4) is missing'],
    [
      'rows that changed places',
      (rows: ManifestRow[]) => [...rows.slice(0, 2), ...rows.slice(2).reverse()],
      '"row-3" (line 4) stands in the place of "row-2" (line 3)',
    ],
  ])('is refused for %s, and says which', async (_what, change, expected) => {
    const old = await plan(rowsOf(4), 2);
    await expect(plan(change(rowsOf(4)), 2, old)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining(expected),
    });
  });

  it.each([
    ['no rows', [], 'The manifest holds no rows.'],
    [
      'mistakes',
      [...rowsOf(2), { line: 3, column: 'title', message: 'too long' }, { line: 9, message: 'no object' }],
      'The manifest has 2 mistakes: line 3, title: too long; line 9: no object.',
    ],
  ])('is refused with %s', async (_what, items, message) => {
    await expect(plan(items, 2)).rejects.toMatchObject({ code: 'Validation', message });
  });
});
