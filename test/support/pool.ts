import pLimit from 'p-limit';

/**
 * Makes a test for each cell. Its name has the cell's fields, as in `it.each`. All cells start before the first test of
 * a `describe`, at most `atOnce` at the same time. Each test awaits its own.
 */
export function testPool<Cell extends object, T>(
  name: string,
  cells: readonly Cell[],
  { atOnce, run }: { readonly atOnce: number; readonly run: (cell: Cell) => Promise<T> },
): { readonly ends: readonly Promise<T>[] } {
  let ends: readonly Promise<T>[] = [];
  beforeAll(() => {
    const limit = pLimit(atOnce);
    ends = cells.map((cell) => limit(run, cell));
    // A failure belongs to the test that awaits it.
    for (const end of ends) end.catch(() => undefined);
  });
  afterAll(() => Promise.allSettled(ends));
  it.each(cells.map((cell, index) => ({ ...cell, index })))(name, async ({ index }) => {
    await ends[index];
  });
  return {
    get ends() {
      return ends;
    },
  };
}
