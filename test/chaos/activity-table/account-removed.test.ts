import { describe, it } from '@jest/globals';
import { ADDED_AGAIN, KILL_MOMENTS } from '../../support/kill-point';
import type { KillPoint } from '../../support/kill-point';
import { usePool } from '../../support/pool';
import type { Scenario } from './cell';
import { expectIntactAndReplayable } from './invariant';
import { openScenario } from './open-scenario';
import { cellsOf, ROWS, shareOfCells } from './table';
import { withinLimit } from './within-limit';

const AT_ONCE = 8;
/** Characters of a log in an error. */
const SHOWN = 6_000;
const CELLS = shareOfCells(cellsOf(ROWS, KILL_MOMENTS));

/** The account is served again only after all its work on this worker has ended. */
async function runRemoved(scenario: Scenario, removalPoint: KillPoint): Promise<void> {
  const { fixture, config, run, close } = await openScenario(scenario);
  let logs = '';
  let resume: () => void = () => undefined;
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const onLog = (text: string): void => {
    logs += text;
    if (logs.includes(ADDED_AGAIN)) resume();
  };
  try {
    const worker = await fixture.startWorkerProcess(config, { removalPoint, onLog });
    const died = worker.gone.then(() => Promise.reject(new Error(`The worker ended: ${logs.slice(-SHOWN)}`)));
    // It is killed when the scenario is closed.
    died.catch(() => undefined);
    const end = run({ moment: removalPoint.moment, resumed });
    const whole = withinLimit(fixture, Promise.all([end, resumed]));
    const [evidence] = await Promise.race([whole, died]);
    await expectIntactAndReplayable(fixture, evidence, { logs, events: fixture.simulator.events() });
  } finally {
    await close();
  }
}

describe('an account that is removed from its worker and added again', () => {
  const pool = usePool(
    CELLS.map((cell) => () => runRemoved(cell.scenario, cell)),
    AT_ONCE,
  );

  it.each(CELLS.map(({ workflow, activity, moment }, index) => ({ workflow, activity, moment, index })))(
    '$moment $activity of $workflow: nothing is lost, doubled, hidden or leaked',
    async ({ index }) => {
      await pool.ends[index];
    },
  );
});
