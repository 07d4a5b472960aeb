import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Account } from '../../api/account/account';
import type { LiveProgress, UploadHandle } from '../../temporal/client/upload-handle';
import { buildCommand, commandEnv, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { startTcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
beforeAll(buildCommand);

/** The fixture's account, with another address for uploads and a worker that serves it. */
async function servedAt(uploadUrl: string): Promise<Account> {
  const account = { ...on.fixture.account, uploadUrl };
  await on.fixture.startWorker({ accounts: [{ account }] });
  return account;
}

function untilWaiting(handle: UploadHandle): Promise<LiveProgress> {
  return until(
    'the upload waits',
    () => handle.progress(),
    ({ waitReason }) => waitReason !== undefined,
  );
}

/** The output of `uploads show` once it says why the upload waits. */
async function shown(account: Account, { workflowId }: UploadHandle): Promise<string> {
  const { fixture } = on;
  const env = commandEnv({ ...fixture, account });
  const { stdout } = await until(
    'the reason is shown',
    () => runCommand(['uploads', 'show', workflowId], { cwd: fixture.folder, env }),
    (end) => end.stdout.includes('What to do'),
  );
  return stdout;
}

describe('an upload through Temporal', () => {
  it('fails within a minute if the upload host does not exist, and says what to check', async () => {
    const { fixture } = on;
    const account = await servedAt('https://upload.invalid');
    const { path } = await fixture.writeFile('film.mp4', 1);
    const handle = await fixture.start(path, {}, { account });
    expect((await untilWaiting(handle)).waitReason).toMatchObject({
      message: expect.stringContaining('upload.invalid: the name does not resolve (ENOTFOUND)'),
      retryForMs: 60_000,
    });
    expect(await shown(account, handle)).toMatch(
      /: starting.*\n {2}Retrying for up to 1 min: .*upload\.invalid: .*\n {2}What to do: .*Check the address/,
    );
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(
        /upload\.invalid: the name does not resolve \(ENOTFOUND\); it was tried \d times/,
      ),
      facts: { outcome: 'unsent', hint: expect.stringContaining('Check the address') },
    });
    expect(fixture.simulator.seen().starts).toBe(0);
  });

  it('fails within a minute if the host of its source does not exist, and says what to check', async () => {
    const { fixture } = on;
    await fixture.startWorker();
    const source = { kind: 'http', url: 'https://source.invalid/film.mp4', label: '' } as const;
    const handle = await fixture.start('', { source });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(
        /source\.invalid.* does not exist \(ENOTFOUND\); it was tried \d+ times/,
      ),
      facts: { hint: expect.stringContaining('Check the address of the source') },
    });
  });

  it('waits while the upload host refuses connections, says for how long and what to do, and sends one start when it is back', async () => {
    const { fixture } = on;
    const port = await freePort();
    const host = `127.0.0.1:${String(port)}`;
    const account = await servedAt(`http://${host}`);
    const { path } = await fixture.writeFile('later.mp4', 1);
    const handle = await fixture.start(path, {}, { account });
    const { waitReason } = await untilWaiting(handle);
    expect(waitReason).toMatchObject({
      message: expect.stringContaining(`${host}: the connection was refused`),
    });
    expect(waitReason).not.toHaveProperty('retryForMs');
    expect(await shown(account, handle)).toMatch(
      /\n {2}Retrying for up to 24 h: .*refused.*\n {2}What to do: .*Check the address/,
    );
    expect(fixture.simulator.seen().starts).toBe(0);
    const back = await startTcpProxy({ port: Number(new URL(fixture.account.uploadUrl).port), at: port });
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED', orphans: [] });
    expect(fixture.simulator.seen().starts).toBe(1);
    await back.close();
  });
});
