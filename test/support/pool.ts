import pLimit from 'p-limit';

/** Starts all jobs before the first test of a `describe`, at most `atOnce` at the same time. Each test awaits its own. */
export function usePool<T>(jobs: readonly (() => Promise<T>)[], atOnce: number) {
  let ends: readonly Promise<T>[] = [];
  beforeAll(() => {
    const limit = pLimit(atOnce);
    ends = jobs.map((job) => limit(job));
    // A failure belongs to the test that awaits it.
    for (const end of ends) end.catch(() => undefined);
  });
  afterAll(() => Promise.allSettled(ends));
  return {
    get ends() {
      return ends;
    },
  };
}

/** Makes a test for each cell. Its name has the cell's fields, as in `it.each`. The cells run as in `usePool`. */
export function testPool<Cell extends object, T>(
  name: string,
  cells: readonly Cell[],
  { atOnce, run }: { readonly atOnce: number; readonly run: (cell: Cell) => Promise<T> },
): ReturnType<typeof usePool<T>> {
  const pool = usePool(
    cells.map((cell) => () => run(cell)),
    atOnce,
  );
  it.each(cells.map((cell, index) => ({ ...cell, index })))(name, async ({ index }) => {
    await pool.ends[index];
  });
  return pool;
}
