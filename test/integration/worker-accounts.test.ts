import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountsListener, ServedAccount } from '../../api/account/account';
import { pollersOf } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue, transferQueue } from '../../temporal/contract/upload';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { createActivities } from '../../temporal/activities/create-activities';
import { createAccountFleet } from '../../temporal/worker/account-fleet';
import { connectWorker } from '../../temporal/worker/connect-worker';
import { createWorkers } from '../../temporal/worker/create-worker';
import { depsOf } from '../../temporal/worker/deps-of';
import { workerPartsOf } from '../../temporal/worker/worker-parts';
import { testWorkflowBundle } from '../support/workflow-bundle';
import { installLogger } from '../../temporal/worker/json-log';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

/** Two services with an account each, and one queue prefix for both. */
let one: UploadFixture;
let other: UploadFixture;
/** Log lines of the workers. */
const lines: string[] = [];
beforeAll(async () => {
  installLogger('info', (line) => void lines.push(line));
  [one, other] = await Promise.all([openUploadFixture(), openUploadFixture()]);
});
afterAll(() => Promise.all([one.close(), other.close()]));

const SHARED = { concurrency: 2 };

/** Starts an upload of a file that any worker of the account may read. */
async function upload(fixture: UploadFixture, name: string): Promise<UploadHandle> {
  const { path } = await fixture.writeFile(name, 2);
  return fixture.start(
    path,
    { source: { kind: 'path', path }, options: SHARED },
    { queuePrefix: one.queuePrefix },
  );
}

const served = (fixture: UploadFixture): ServedAccount => {
  const [account] = fixture.config.accounts;
  if (account === undefined) throw new Error('The fixture has no account.');
  return account;
};
const roots = (): string[] => [one.folder, other.folder];

async function identitiesAt(fixture: UploadFixture, host: string): Promise<(readonly string[])[]> {
  const { accountId } = fixture;
  const { client, namespace } = fixture.connection;
  const polls = [
    { queue: controlQueue(one.queuePrefix, accountId), kind: 'workflow' },
    { queue: transferQueue(one.queuePrefix, accountId), kind: 'activity' },
    { queue: hostQueue(one.queuePrefix, accountId, host), kind: 'activity' },
  ] as const;
  const found = await Promise.all(
    polls.map((poll) => pollersOf(client.workflowService, { namespace, ...poll })),
  );
  // The part that distinguishes workers of one process is left out.
  return found.map((pollers) => [...new Set(pollers.map(({ identity }) => identity.split('/')[0] ?? ''))]);
}

/** Time between the starts of the two parts of an upload, ms. */
async function gapOf(fixture: UploadFixture, name: string): Promise<number> {
  const from = fixture.simulator.events().at(-1)?.seq ?? 0;
  expect((await (await upload(fixture, name)).result()).status).toBe('COMPLETED');
  const begun = fixture.simulator.events().filter(({ event, seq }) => event === 'part-begun' && seq > from);
  const at = begun.map((event) => event.at);
  return Math.max(...at) - Math.min(...at);
}

/** The fleet of a worker with both accounts. The first one's activity never ends, whatever happens to it. */
async function openFleet() {
  const queuePrefix = `${one.queuePrefix}-fleet`;
  const accounts = [...one.config.accounts, ...other.config.accounts];
  const config = { ...one.config, accounts, roots: roots(), queuePrefix };
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
      const own = id === one.accountId ? { ...activities, pinSources } : activities;
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

const entry = (fixture: UploadFixture): [string, ServedAccount] => [fixture.accountId, served(fixture)];

describe('two workers with different accounts', () => {
  it("never take each other's work: an upload waits for its own worker while the other's is done", async () => {
    const stopOther = await other.startWorker({
      queuePrefix: one.queuePrefix,
      host: 'host-b',
      roots: roots(),
    });
    const mine = await upload(one, 'mine.mp4');
    const theirs = await upload(other, 'theirs.mp4');
    await theirs.result();
    expect(one.simulator.seen()).toMatchObject({ starts: 0 });
    const stopOne = await one.startWorker({ host: 'host-a', roots: roots() });
    await mine.result();
    expect(one.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    expect(other.simulator.seen()).toMatchObject({ starts: 1, completesAccepted: 1 });
    const a = `${String(process.pid)}@host-a`;
    const b = `${String(process.pid)}@host-b`;
    expect(await identitiesAt(one, 'host-a')).toEqual([[a], [a], [a]]);
    expect(await identitiesAt(other, 'host-b')).toEqual([[b], [b], [b]]);
    await Promise.all([stopOne(), stopOther()]);
  });
});

describe('a worker whose accounts change', () => {
  it('serves an added account, takes a rotated secret and drains a removed account, without a restart', async () => {
    let listener: AccountsListener | undefined;
    const before = other.simulator.seen().starts;
    const stop = await one.startWorker({ host: 'host-c', roots: roots() }, undefined, {
      watchAccounts: (given) => {
        listener = given;
        return () => undefined;
      },
    });
    await (await upload(one, 'before.mp4')).result();
    const added = await upload(other, 'added.mp4');
    listener?.onAccounts([served(one), served(other)]);
    await added.result();
    expect(other.simulator.seen().starts).toBe(before + 1);

    const refused: ServedAccount = {
      ...served(other),
      account: { ...other.account, secretKey: 'not-the-secret-any-more' },
    };
    listener?.onAccounts([served(one), refused]);
    const rejected = await upload(other, 'refused.mp4');
    await expect(rejected.result()).rejects.toMatchObject({ code: 'LoginRefused' });

    listener?.onAccounts([served(one), served(other)]);
    const from = lines.length;
    // A poll that began before the drain may still return a task; then the queues are polled no more.
    const isDrained = (): boolean =>
      lines.slice(from).some((line) => line.includes('are served') && !line.includes(other.accountId));
    await until(`${other.accountId} is served no more`, () => {
      listener?.onAccounts([served(one)]);
      return isDrained();
    });
    listener?.onProblem(new Error('the file is half written'));
    const { starts } = other.simulator.seen();
    const waiting = await upload(other, 'waiting.mp4');
    await (await upload(one, 'after.mp4')).result();
    expect(other.simulator.seen().starts).toBe(starts);
    listener?.onAccounts([served(one), served(other)]);
    await waiting.result();
    await stop();
  });

  it('applies new limits of an account without a restart, and keeps serving it', async () => {
    let listener: AccountsListener | undefined;
    const stop = await one.startWorker({ host: 'host-d', roots: roots() }, undefined, {
      watchAccounts: (given) => {
        listener = given;
        return () => undefined;
      },
    });
    const GAP_MS = 2_000;
    listener?.onAccounts([{ ...served(one), limits: { partsPerSecond: 1000 / GAP_MS } }]);
    for (let n = 0; (await gapOf(one, `limited-${String(n)}.mp4`)) < GAP_MS - 1;) n += 1;
    listener?.onAccounts([served(one)]);
    for (let n = 0; (await gapOf(one, `free-${String(n)}.mp4`)) >= GAP_MS - 1;) n += 1;
    await stop();
  });
});

describe('a worker whose removed account never ends its work', () => {
  it('gives up the work of a removed account if it does not end, and continues to serve other accounts', async () => {
    const { fleet, givenUp, queuePrefix, isReached, close } = await openFleet();
    await fleet.apply(new Map([entry(one), entry(other)]));
    const { path } = await one.writeFile('stuck.mp4', 0.1);
    await one.start(path, {}, { queuePrefix });
    await until('the activity runs', isReached);

    await fleet.apply(new Map([entry(other)]));
    expect(fleet.accounts()).toEqual({ served: 1, draining: 1 });
    await until('the removed account is gone', () => fleet.accounts().draining === 0);
    expect(givenUp).toEqual([one.accountId]);

    const { path: next } = await other.writeFile('next.mp4', 0.1);
    const upload = await other.start(next, {}, { queuePrefix });
    expect((await upload.result()).status).toBe('COMPLETED');
    expect(fleet.notReady()).toEqual([]);
    await close();
  });
});
