import fc from 'fast-check';
import { given } from '../../../../../api/json';
import type { ManifestMistake, ManifestRow } from '../../../../../manifest/row';
import { openedRow, pageDigest, plannedRow } from '../../../../../temporal/batch/files/planned-row';
import type { PlannedRow } from '../../../../../temporal/batch/files/planned-row';
import { MAX_PAGE_BYTES, MAX_PAGES, planPages } from '../../../../../temporal/batch/files/plan-pages';
import type { StoredPage } from '../../../../../temporal/batch/files/stored-plan';
import { sealKeysOf } from '../../../../../temporal/seal';

const key = sealKeysOf('a secret');

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

/** Plans, and keeps the written pages. `onWrite` is called before each page. */
async function plan(
  items: Iterable<ManifestRow | ManifestMistake>,
  pageRows: number | undefined,
  old: Kept = { pages: [], rows: [] },
  onWrite: (page: number) => void = () => undefined,
): Promise<Kept> {
  const rows = [...old.rows];
  const pages = await planPages({
    rows: (async function* () {
      yield* items;
    })(),
    ...given({ pageRows }),
    old: old.pages,
    batchId: 'films',
    round: 1 + Math.max(0, ...old.pages.map(({ round }) => round)),
    planned: (row) => plannedRow(row, key),
    readOld: async (page) => old.rows[page] ?? [],
    write: async (page, written) => {
      onWrite(page);
      rows[page] = written;
    },
  });
  return { pages, rows };
}

/** A manifest and a later version of it: other rows behind its own, or anywhere among them. */
const grownManifest = fc
  .record({ count: fc.integer({ min: 1, max: 30 }), more: fc.integer({ min: 0, max: 15 }) })
  .chain(({ count, more }) => {
    const all = rowsOf(count + more);
    const some = fc.subarray(all, { minLength: count, maxLength: count });
    return fc.record({
      before: fc.oneof(fc.constant(rowsOf(count)), some).map(numbered),
      now: fc.constant(numbered(all)),
    });
  });
const pageSizes = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }));

function numbered(rows: readonly ManifestRow[]): ManifestRow[] {
  return rows.map((row, index) => ({ ...row, line: index + 2 }));
}

/** All rows in the manifest's order. */
function byLine(pages: readonly (readonly PlannedRow[])[]): ManifestRow[] {
  return pages
    .flat()
    .map(({ row }) => row)
    .sort((a, b) => a.line - b.line);
}

describe('a manifest that is split into pages', () => {
  it('keeps every row in order, on pages within the size limit', async () => {
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

  it('keeps the pages of earlier starts if rows came between or the page size changed, and makes new ones for all others', async () => {
    await fc.assert(
      fc.asyncProperty(grownManifest, pageSizes, async ({ before, now }, [first, second]) => {
        const old = await plan(before, first);
        const grown = await plan(now, second, old);
        expect(grown.pages.slice(0, old.pages.length)).toEqual(old.pages);
        const kept = grown.rows.slice(0, old.pages.length);
        const idsOf = (page: readonly PlannedRow[]): string[] => page.map(({ row }) => row.id);
        expect(kept.map(idsOf)).toEqual(old.rows.map(idsOf));
        const known = new Set(before.map(({ id }) => id));
        const added = grown.rows.slice(old.pages.length).flat();
        expect(added.map(({ row }) => row)).toEqual(now.filter(({ id }) => !known.has(id)));
        expect(byLine(grown.rows)).toEqual(now);
        expect(await plan(now, first, grown)).toEqual(grown);
      }),
    );
  });

  it('gets the same pages in the next try, wherever the previous try was lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        grownManifest,
        pageSizes,
        fc.nat(12),
        async ({ before, now }, [first, second], writes) => {
          const old = await plan(before, first);
          const whole = await plan(now, second, old);
          let left = writes;
          const loseWorker = (): void => {
            if ((left -= 1) < 0) throw new Error('lost');
          };
          await plan(now, second, old, loseWorker).catch(() => undefined);
          expect(await plan(now, second, old)).toEqual(whole);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is refused if a row of an earlier start changed or is missing, and the error names its line', async () => {
    await fc.assert(
      fc.asyncProperty(
        grownManifest,
        fc.integer({ min: 1, max: 9 }),
        fc.nat(),
        async ({ before, now }, pageRows, which) => {
          const old = await plan(before, pageRows);
          const { id = '', line = 0, source = '' } = before[which % before.length] ?? {};
          const without = now.filter((row) => row.id !== id);
          await expect(plan(without, pageRows, old)).rejects.toMatchObject({
            code: 'InputDiffers',
            message: expect.stringContaining(
              `differ: "${id}" (line ${line} of the earlier manifest: ${source}`,
            ),
          });
          const changed = now.map((row) => (row.id === id ? { ...row, media: { title: 'Other' } } : row));
          const at = now.find((row) => row.id === id)?.line ?? 0;
          await expect(plan(changed, pageRows, old)).rejects.toMatchObject({
            code: 'InputDiffers',
            message: expect.stringContaining(
              `differ: "${id}" (line ${at}: ${source}, "Other") differs in title.`,
            ),
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    [120, [50, 50, 20]],
    [600, Array.from({ length: 10 }, () => 60)],
    [12_000, Array.from({ length: 12 }, () => 1_000)],
  ])('has pages that grow with it, so that every worker gets some: %i rows', async (count, expected) => {
    expect((await plan(rowsOf(count), undefined)).pages.map(({ rows }) => rows)).toEqual(expected);
  });

  it.each([
    ['10,000 rows', 10_500, '', 10_001],
    ['40 MiB', 60, 'x'.repeat(1024 * 1024), 41],
  ])('is read ahead up to %s, and not into memory as a whole', async (_what, count, text, expected) => {
    let read = 0;
    const counted = function* (): Generator<ManifestRow> {
      for (const row of rowsOf(count)) {
        read += 1;
        yield { ...row, metadata: { text } };
      }
    };
    const atWrites: number[] = [];
    await plan(counted(), undefined, undefined, () => void atWrites.push(read));
    expect([atWrites[0], atWrites.at(-1)]).toEqual([expected, count]);
  });

  it('is refused if it has more pages than the history of a batch holds', async () => {
    await expect(plan(rowsOf(MAX_PAGES + 1), 1)).rejects.toMatchObject({
      code: 'Validation',
      message: 'The manifest has more than 4,000 pages of rows.',
    });
    expect((await plan(rowsOf(MAX_PAGES), 1)).pages).toHaveLength(MAX_PAGES);
  });

  it('ends a page early if its rows are large', async () => {
    const large = rowsOf(4).map((row) => ({ ...row, metadata: { text: 'x'.repeat(MAX_PAGE_BYTES / 3) } }));
    expect((await plan(large, 250)).pages.map(({ rows }) => rows)).toEqual([2, 2]);
  });

  it('accepts pre-signed addresses with other queries, in another order within their page, and seals them again', async () => {
    const at = (query: string): ManifestRow[] =>
      ['a', 'b'].map((id, index) => ({
        line: index + 2,
        id,
        source: `https://cdn.example/films/${id}.mp4?${query}`,
        media: {},
      }));
    const old = await plan(at('X-Amz-Signature=first'), 5);
    const now = await plan(numbered(at('X-Amz-Signature=second').reverse()), 5, old);
    expect(now.pages).toEqual(old.pages);
    expect(JSON.stringify(now.rows)).not.toContain('X-Amz-Signature');
    const [page = []] = now.rows;
    expect(pageDigest(page)).toBe(old.pages[0]?.digest);
    expect(page.map((row) => [row.row.line, openedRow(row, key).source])).toEqual([
      [3, 'https://cdn.example/films/a.mp4?X-Amz-Signature=second'],
      [2, 'https://cdn.example/films/b.mp4?X-Amz-Signature=second'],
    ]);
  });

  it('takes an address for another row if the file of the same name is in another folder', async () => {
    const at = (folder: string): ManifestRow[] => [
      { line: 1, id: 'a', source: `https://cdn.example/${folder}/a.mp4?X-Amz-Signature=s`, media: {} },
    ];
    const old = await plan(at('dawn'), 5);
    await expect(plan(at('dusk'), 5, old)).rejects.toMatchObject({
      code: 'InputDiffers',
      message: expect.stringContaining('"a" (line 1: https://cdn.example/a.mp4) differs in source.'),
    });
  });

  it('writes no page with a row after the first mistake', async () => {
    const written: number[] = [];
    const items = [...rowsOf(2), { line: 3, message: 'no object' }, ...rowsOf(3)];
    await expect(plan(items, 1, undefined, (page) => void written.push(page))).rejects.toThrow(
      'The manifest has 1 mistake: line 3: no object.',
    );
    expect(written).toEqual([0]);
  });

  it('is refused for a row of which several cells changed, and says which', async () => {
    const old = await plan(rowsOf(4), 2);
    const other = { source: '/other.mp4', media: { title: 'Film 1', creator: 'A' } };
    const changed = rowsOf(4).map((row) => (row.line === 2 ? { ...row, ...other } : row));
    await expect(plan(changed, 2, old)).rejects.toThrow(
      '"row-1" (line 2: /other.mp4, "Film 1") differs in source and creator.',
    );
  });

  it('names ten rows and the number of all others if many are missing', async () => {
    const old = await plan(rowsOf(40), 15);
    await expect(plan(rowsOf(40).slice(15), 15, old)).rejects.toThrow(
      /First rows that differ: "row-0" \(.*; "row-9" \(line 10 of the earlier manifest: \/films\/9\.mp4, "Film 9"\) is missing or moved; and 5 more\.$/,
    );
  });

  it('is refused if a page in the folder holds other rows than the plan says', async () => {
    const { pages, rows } = await plan(rowsOf(4), 2);
    const [first = [], second = []] = rows;
    const faulted = { pages, rows: [first, second.slice(1)] };
    await expect(plan(rowsOf(5), 2, faulted)).rejects.toMatchObject({
      code: 'Internal',
      message: expect.stringContaining('The rows of page 1'),
    });
  });

  it('is refused without rows', async () => {
    const message = 'The manifest holds no rows.';
    await expect(plan([], 2)).rejects.toMatchObject({ code: 'Validation', message });
  });
});
