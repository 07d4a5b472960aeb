import type { WorkerConfig } from '../../../temporal/worker/worker-config';
import { testPool } from '../../support/pool';
import type { UploadFixture } from '../../support/upload-fixture';
import { NEXT_SECRET_KEY } from './invariant';
import { runKilled } from './run-killed';
import { cellsOf, ROWS, shareOfCells } from './table';

const AT_ONCE = 5;
const CELLS = shareOfCells(cellsOf(ROWS, ['after']));

/** From now on the service accepts only the next key. The next worker has that key, and the previous one. */
function rotate({ simulator, config }: UploadFixture): Partial<WorkerConfig> {
  simulator.acceptSecretKeys([NEXT_SECRET_KEY]);
  simulator.expireTokens();
  const accounts = config.accounts.map(({ account, ...served }) => ({
    ...served,
    account: { ...account, secretKey: NEXT_SECRET_KEY },
    previousSecretKeys: [account.secretKey],
  }));
  return { accounts };
}

describe('a secret key that is replaced while the worker is away', () => {
  testPool('after $activity of $workflow: nothing is lost, doubled, hidden or leaked', CELLS, {
    atOnce: AT_ONCE,
    run: (cell) => runKilled(cell.scenario, cell, rotate),
  });
});
