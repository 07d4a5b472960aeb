import { describe, it } from '@jest/globals';
import { openOwnServer } from '../../support/own-temporal';
import { usePool } from '../../support/pool';
import { until } from '../../support/until';
import type { HeldRun } from './run-controlled';
import { runControlled } from './run-controlled';
import type { Evidence } from './cell';
import { cellsOf, isControlled, ROWS } from './table';

/** Most of a cell is waiting. */
const AT_ONCE = 12;
const AWAY_MS = 60_000;
const CELLS = cellsOf(ROWS.filter(isControlled), ['after']);

async function runWithoutServer({ scenario, ...point }: (typeof CELLS)[number]): Promise<void> {
  const server = await openOwnServer();
  const outage = async ({ context, hold }: HeldRun): Promise<Evidence> => {
    await server.kill();
    // The activity's answer finds no server.
    hold.release();
    const back = performance.now() + AWAY_MS;
    await until('the server was away for a minute', () => performance.now() >= back);
    await server.restart();
    return context.evidence(await context.handle.result());
  };
  await runControlled(scenario, point, outage, { temporal: server }).finally(() => server.close());
}

describe('a Temporal server that is killed and away for a minute', () => {
  const pool = usePool(
    CELLS.map((cell) => () => runWithoutServer(cell)),
    AT_ONCE,
  );

  it.each(CELLS.map(({ workflow, activity }, index) => ({ workflow, activity, index })))(
    'after $activity of $workflow: nothing is lost, doubled, hidden or leaked',
    async ({ index }) => {
      await pool.ends[index];
    },
  );
});
