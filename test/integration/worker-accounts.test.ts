import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountsListener, ServedAccount } from '../../api/account/account';
import { pollersOf } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue, transferQueue } from '../../temporal/contract/upload';
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
    const GAP_MS = 4_000;
    listener?.onAccounts([{ ...served(one), limits: { partsPerSecond: 1000 / GAP_MS } }]);
    for (let n = 0; (await gapOf(one, `limited-${String(n)}.mp4`)) < GAP_MS - 1;) n += 1;
    listener?.onAccounts([served(one)]);
    for (let n = 0; (await gapOf(one, `free-${String(n)}.mp4`)) >= GAP_MS - 1;) n += 1;
    await stop();
  });
});
