import { createUndiciTransport } from '../../../api/transport/undici-transport';
import { createActivities } from '../../../temporal/worker/create-worker';
import { depsOf } from '../../../temporal/worker/deps-of';
import { KILL_MOMENTS } from '../../support/kill-point';
import { testPool } from '../../support/pool';
import { CANARIES } from './invariant';
import { runKilled } from './run-killed';
import { cellsOf, ROWS, shareOfCells, TABLE } from './table';

/** Most of a cell is waiting for a heartbeat that never comes. */
const AT_ONCE = 5;
const CELLS = shareOfCells(cellsOf(ROWS, KILL_MOMENTS));

describe('the table of kill points', () => {
  it('lists every activity that a worker has', async () => {
    const transport = createUndiciTransport();
    const temporal = { address: '127.0.0.1:1', namespace: 'none' };
    const account = { baseUrl: 'http://127.0.0.1:1', uploadUrl: 'http://127.0.0.1:1', ...CANARIES };
    const accounts = [{ account: { ...account, externalId: 'none' } }];
    const deps = depsOf({ temporal, accounts, host: 'here', roots: [] }, transport);
    expect(Object.keys(TABLE).sort()).toEqual(Object.keys(createActivities(deps)).sort());
    await transport.close();
  });
});

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
