import { bareWorkerLogs } from '../../support/bare-worker';
import { heldAt } from '../../support/kill-point';
import { openOwnServer } from '../../support/own-temporal';
import type { OwnServer } from '../../support/own-temporal';
import { testPool } from '../../support/pool';
import { LONG_LIMIT_MS, until } from '../../support/until';
import { expectIntact } from './invariant';
import { endOf, openScenario } from './open-scenario';
import { reachedBefore, startHoldingWorker } from './run-controlled';
import { cellsOf, ROWS, shareOfCells } from './table';
import { withinLimit } from './within-limit';

/** Most of a cell is waiting. A third of the cells runs at once. */
const AT_ONCE = 6;
const AWAY_MS = 60_000;
/**
 * Activities that call the server themselves. Before all others the cell would show the same as after them: they work
 * without the server, and their answer does not find it.
 */
const CALLS_SERVER: ReadonlySet<string> = new Set(['planBatch', 'uploadPage', 'endRow']);
const CELLS = shareOfCells([
  ...cellsOf(ROWS, ['after']),
  ...cellsOf(
    ROWS.filter(({ activity }) => CALLS_SERVER.has(activity)),
    ['before'],
  ),
]);

async function beAwayForAMinute(server: OwnServer, meanwhile: () => void): Promise<void> {
  await server.kill();
  meanwhile();
  const back = performance.now() + AWAY_MS;
  await until('the server was away for a minute', () => performance.now() >= back, Boolean, {
    limitMs: LONG_LIMIT_MS,
  });
  await server.restart();
}

/** Whoever waits for the run's end waits through the outage. */
async function runWithoutServer(
  { scenario, ...point }: (typeof CELLS)[number],
  server: OwnServer,
): Promise<void> {
  const { fixture, config, start, close } = await openScenario(scenario, { temporal: server });
  const hold = heldAt(point);
  try {
    await startHoldingWorker(fixture, hold, config);
    const end = endOf(await start({ moment: point.moment, resumed: hold.released }));
    await reachedBefore(end, hold);
    await beAwayForAMinute(server, hold.release);
    const evidence = await withinLimit(fixture, end);
    await expectIntact(fixture, evidence, bareWorkerLogs());
  } finally {
    hold.release();
    await close();
  }
}

describe('a Temporal server that is killed and away for a minute', () => {
  testPool('$moment $activity of $workflow: nothing is lost, doubled, hidden or leaked', CELLS, {
    atOnce: AT_ONCE,
    async run(cell) {
      const server = await openOwnServer();
      await runWithoutServer(cell, server).finally(() => server.close());
    },
  });
});
