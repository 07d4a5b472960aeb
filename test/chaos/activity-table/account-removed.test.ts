import { describe, it } from '@jest/globals';
import { ADDED_AGAIN, KILL_MOMENTS } from '../../support/kill-point';
import type { KillPoint } from '../../support/kill-point';
import { usePool } from '../../support/pool';
import { openUploadFixture } from '../../support/upload-fixture';
import type { UploadScenario } from './cell';
import { CANARIES, expectIntact } from './invariant';
import { configOf, runToEnd } from './run-killed';
import { cellsOf, isUpload, ROWS } from './table';
import { withinLimit } from './within-limit';

const AT_ONCE = 8;
const CELLS = cellsOf(ROWS.filter(isUpload), KILL_MOMENTS);

/** The account is served again only after all its work on this worker has ended. */
async function runRemoved(scenario: UploadScenario, removalPoint: KillPoint): Promise<void> {
  const fixture = await openUploadFixture({ simulator: { account: CANARIES } });
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
    await fixture.startWorkerProcess(await configOf(fixture), { removalPoint, onLog });
    const run = runToEnd(scenario, { fixture, moment: removalPoint.moment, resumed });
    const [evidence] = await withinLimit(fixture, Promise.all([run, resumed]));
    await expectIntact(fixture, evidence, { logs, events: fixture.simulator.events() });
  } finally {
    await fixture.close();
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
