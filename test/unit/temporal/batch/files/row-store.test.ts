import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PlannedRow } from '../../../../../temporal/batch/files/planned-row';
import { RowStore } from '../../../../../temporal/batch/files/added-rows';
import { useTempDir } from '../../../../support/use-temp-dir';

const temp = useTempDir('row-spool');

/** Some are far larger than one read, and some have characters of several bytes. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.constantFrom('x', 'ö', '😀', '\n'), fc.nat(90_000))
      .map(([text, times]) => text.repeat(times)),
  ),
  { minLength: 1, maxLength: 12 },
);

function rowOf(title: string, index: number): PlannedRow {
  return { row: { line: index, id: `row-${index}`, source: '/a.mp4', media: { title } }, digest: 'd' };
}

it('rows in a temporary file are found by their position, and returned in order without those that are left out', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.infiniteStream(fc.boolean()), async (titles, leavesOut) => {
      const spool = await RowStore.create(join(temp.path, 'rows'));
      try {
        expect(await readdir(temp.path)).toEqual([]);
        const rows = titles.map(rowOf);
        const offsets: number[] = [];
        for (const row of rows) offsets.push(await spool.add(row));
        await spool.flush();
        expect(await Promise.all(offsets.map((offset) => spool.rowAt(offset)))).toEqual(rows);
        const left = rows.map(() => leavesOut.next().value === true);
        const others: PlannedRow[] = [];
        const without = Float64Array.from(offsets.filter((_, index) => left[index]));
        for await (const row of spool.rowsBesides(without)) others.push(row);
        expect(others).toEqual(rows.filter((_, index) => left[index] !== true));
      } finally {
        await spool.close();
      }
    }),
    { numRuns: 30 },
  );
});
