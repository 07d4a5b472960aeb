import { KILL_MOMENTS } from '../../support/kill-point';
import { testPool } from '../../support/pool';
import { runKilled } from './run-killed';
import { cellsOf, ROWS, shareOfCells } from './table';

/** Most of a cell is waiting for a heartbeat that never comes. */
const AT_ONCE = 5;
const CELLS = shareOfCells(cellsOf(ROWS, KILL_MOMENTS));

describe('a worker that is killed', () => {
  const pool = testPool(
    'in $workflow $moment $activity is replaced: nothing is lost, doubled, hidden or leaked',
    CELLS,
    { atOnce: AT_ONCE, run: (cell) => runKilled(cell.scenario, cell) },
  );

  it('runs no activity that the table leaves out', async () => {
    const called = (await Promise.all(pool.ends)).flat();
    const rows = new Set(ROWS.map(({ workflow, activity }) => `${workflow} ${activity}`));
    expect([...new Set(called)].filter((call) => !rows.has(call))).toEqual([]);
  });
});
