import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ServedAccount } from '../../api/account/account';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { createActivities } from '../../temporal/activities/create-activities';
import { createAccountFleet } from '../../temporal/worker/account-fleet';
import { connectWorker } from '../../temporal/worker/connect-worker';
import { createWorkers } from '../../temporal/worker/create-worker';
import { depsOf } from '../../temporal/worker/deps-of';
import { installLogger } from '../../temporal/worker/json-log';
import { workerPartsOf } from '../../temporal/worker/worker-parts';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';
import { testWorkflowBundle } from '../support/workflow-bundle';

/** Two services with an account each, and one queue prefix for both. */
let stuck: UploadFixture;
let other: UploadFixture;
beforeAll(async () => {
  // A worker that is given up logs an error.
  installLogger('error', () => undefined);
  [stuck, other] = await Promise.all([openUploadFixture(), openUploadFixture()]);
});
afterAll(() => Promise.all([stuck.close(), other.close()]));

/** The fleet of a worker with both accounts. The first one's activity never ends, whatever happens to it. */
async function openFleet() {
  const { queuePrefix } = stuck;
  const accounts = [...stuck.config.accounts, ...other.config.accounts];
  const config = { ...stuck.config, accounts, roots: [stuck.folder, other.folder] };
  const transport = createUndiciTransport();
  const connection = await connectWorker(config.temporal);
  const activities = createActivities(depsOf(config, transport));
  const bundle = { codePath: await testWorkflowBundle() };
  const givenUp: string[] = [];
  let isReached = false;
  const pinSources = (): Promise<never> => {
    isReached = true;
    return new Promise(() => undefined);
  };
  const fleet = createAccountFleet({
    createWorkers(id) {
      const own = id === stuck.accountId ? { ...activities, pinSources } : activities;
      const shared = { connection, activities: own, bundle, identity: 'fleet' };
      return createWorkers(workerPartsOf({ config, id, shared }));
    },
    onServed: () => undefined,
    onGone: () => undefined,
    onFailure: (id, error) => {
      throw new Error(`${id} has no workers.`, { cause: error });
    },
    onGivenUp: (id) => void givenUp.push(id),
    pause: () => Promise.resolve(),
  });
  const close = async (): Promise<void> => {
    fleet.drain();
    await fleet.ended;
    await connection.close();
    await transport.close();
  };
  return { fleet, givenUp, queuePrefix, isReached: () => isReached, close };
}

const served = ({ accountId, config }: UploadFixture): [string, ServedAccount] => {
  const [account] = config.accounts;
  if (account === undefined) throw new Error('The fixture has no account.');
  return [accountId, account];
};

it('gives up the work of a removed account if it does not end, and continues to serve other accounts', async () => {
  const { fleet, givenUp, queuePrefix, isReached, close } = await openFleet();
  await fleet.apply(new Map([served(stuck), served(other)]));
  const { path } = await stuck.writeFile('stuck.mp4', 1);
  await stuck.start(path);
  await until('the activity runs', isReached);

  await fleet.apply(new Map([served(other)]));
  expect(fleet.accounts()).toEqual({ served: 1, draining: 1 });
  await until('the removed account is gone', () => fleet.accounts().draining === 0);
  expect(givenUp).toEqual([stuck.accountId]);

  const { path: next } = await other.writeFile('next.mp4', 1);
  const upload = await other.start(next, {}, { queuePrefix });
  expect((await upload.result()).status).toBe('COMPLETED');
  expect(fleet.notReady()).toEqual([]);
  await close();
});
