import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../api/system-clock';
import { pollersOf } from '../../temporal/client/living-workers';
import type { UploadHandle } from '../../temporal/client/upload-handle';
import { controlQueue, hostQueue, transferQueue } from '../../temporal/contract';
import { installLogger } from '../../temporal/worker/json-log';
import type { AccountsListener } from '../../temporal/worker/run-worker';
import type { ServedAccount } from '../../temporal/worker/worker-config';
import { openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

/** Two services with an account each, and one queue prefix for both. */
let one: UploadBed;
let other: UploadBed;
/** What the workers log. */
const lines: string[] = [];
beforeAll(async () => {
  installLogger('info', (line) => void lines.push(line));
  [one, other] = await Promise.all([openUploadBed(), openUploadBed()]);
});
afterAll(() => Promise.all([one.close(), other.close()]));

const SHARED = { concurrency: 2 };

/** Starts an upload of a file that any worker of the account may read. */
async function upload(bed: UploadBed, name: string): Promise<UploadHandle> {
  const { path } = await bed.writeFile(name, 2);
  return bed.start(
    path,
    { source: { kind: 'path', path }, options: SHARED },
    { queuePrefix: one.queuePrefix },
  );
}

const served = (bed: UploadBed): ServedAccount => {
  const [account] = bed.config.accounts;
  if (account === undefined) throw new Error('The bed has no account.');
  return account;
};
const roots = (): string[] => [one.folder, other.folder];

async function identitiesAt(bed: UploadBed, host: string): Promise<(readonly string[])[]> {
  const { accountId } = bed;
  const { client, namespace } = bed.connection;
  const polls = [
    { queue: controlQueue(one.queuePrefix, accountId), kind: 'workflow' },
    { queue: transferQueue(one.queuePrefix, accountId), kind: 'activity' },
    { queue: hostQueue(one.queuePrefix, accountId, host), kind: 'activity' },
  ] as const;
  const found = await Promise.all(
    polls.map((poll) => pollersOf(client.workflowService, { namespace, ...poll })),
  );
  // Without what tells workers of one process apart.
  return found.map((pollers) => [...new Set(pollers.map(({ identity }) => identity.split('/')[0] ?? ''))]);
}

/** Time between the begins of the two parts of an upload, ms. */
async function gapOf(bed: UploadBed, name: string): Promise<number> {
  const from = bed.simulator.events().at(-1)?.seq ?? 0;
  expect((await (await upload(bed, name)).result()).status).toBe('COMPLETED');
  const begun = bed.simulator.events().filter(({ event, seq }) => event === 'part-begun' && seq > from);
  const at = begun.map((event) => event.at);
  return Math.max(...at) - Math.min(...at);
}

describe('two workers with different accounts', () => {
  it('never take each other’s work: an upload waits for its own worker while the other’s is done', async () => {
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
  it('serves an account that is added, takes a rotated secret, and drains one that is removed, without a restart', async () => {
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
    // What was asked for before the drain may still come; then its queues are polled no more.
    const isDrained = (): boolean =>
      lines.slice(from).some((line) => line.includes('are served') && !line.includes(other.accountId));
    while (!isDrained()) {
      listener?.onAccounts([served(one)]);
      await systemClock.sleep(50);
    }
    listener?.onProblem(new Error('the file is half written'));
    const { starts } = other.simulator.seen();
    const waiting = await upload(other, 'waiting.mp4');
    await (await upload(one, 'after.mp4')).result();
    expect(other.simulator.seen().starts).toBe(starts);
    listener?.onAccounts([served(one), served(other)]);
    await waiting.result();
    await stop();
  });

  it('takes other limits of an account without a restart, and serves it on', async () => {
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
