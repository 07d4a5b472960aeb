import type { Clock } from '../../api/clock';
import type { StartUpload } from '../../temporal/upload/client/start-upload';
import { transferQueue } from '../../temporal/upload/types';
import type { WorkerConfig } from '../../temporal/worker/worker-config';
import { afterTest } from '../support/after-test';
import { commandEnv, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { fastClock, hastyClock } from '../support/hasty-clock';
import { startTcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { untilProgress, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

/** A worker that serves the fixture's account at another address for uploads, on queues of its own. */
async function servedAt(
  uploadUrl: string,
  change: Partial<WorkerConfig> = {},
  clock: Clock = hastyClock,
): Promise<Pick<StartUpload, 'account' | 'queuePrefix'>> {
  const account = { ...on.fixture.account, uploadUrl };
  const queuePrefix = `${on.fixture.queuePrefix}-${uploadUrl.replaceAll(/\W/g, '-')}`;
  const accounts = [{ account }];
  await on.fixture.startWorker({ accounts, queuePrefix, ...change }, undefined, { clock });
  return { account, queuePrefix };
}

describe('an upload', () => {
  it('fails after four tries if the upload host or that of its source does not exist, and says what to check', async () => {
    const { fixture } = on;
    const served = await servedAt('https://upload.invalid', {}, fastClock());
    const { path } = await fixture.writeFile('unsent.mp4', 0.1);
    const source = { kind: 'http', url: 'https://source.invalid/film.mp4', label: '' } as const;
    const unsent = await fixture.start(path, {}, served);
    const unread = await fixture.start('', { source }, served);
    expect((await untilProgress(unsent)).waitReason).toMatchObject({
      message: expect.stringContaining('upload.invalid: the name does not resolve (ENOTFOUND)'),
      retryForMs: 60_000,
    });
    await expect(unsent.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(
        /upload\.invalid: the name does not resolve \(ENOTFOUND\); it was tried 4 times/,
      ),
      facts: { outcome: 'unsent', hint: expect.stringContaining('Check the address') },
    });
    await expect(unread.result()).rejects.toMatchObject({
      code: 'Transport',
      message: expect.stringMatching(/source\.invalid.* does not exist \(ENOTFOUND\); it was tried 4 times/),
      facts: { hint: expect.stringContaining('Check the address of the source') },
    });
    expect(fixture.simulator.seen().starts).toBe(0);
  });

  it('waits while the upload host refuses connections, says for how long and what to do, and sends one start when it is back', async () => {
    const { fixture } = on;
    const port = await freePort();
    const host = `127.0.0.1:${String(port)}`;
    const served = await servedAt(`http://${host}`);
    const { path } = await fixture.writeFile('later.mp4', 0.1);
    const handle = await fixture.start(path, {}, served);
    const { waitReason } = await untilProgress(handle);
    expect(waitReason).toMatchObject({
      message: expect.stringContaining(`${host}: the connection was refused`),
    });
    expect(waitReason).not.toHaveProperty('retryForMs');
    const env = commandEnv({ ...fixture, ...served });
    const { stdout } = await until(
      'the reason is shown',
      () => runCommand(['uploads', 'show', handle.workflowId], { cwd: fixture.folder, env }),
      (end) => end.stdout.includes('What to do'),
    );
    expect(stdout).toMatch(
      /: starting.*\n {2}Retrying for up to 24 h: .*refused.*\n {2}What to do: .*Check the address/,
    );
    const proxy = await startTcpProxy({ port: Number(new URL(fixture.account.uploadUrl).port), at: port });
    afterTest(proxy.close);
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED', orphans: [] });
    expect(fixture.simulator.seen().starts).toBe(1);
  });
});

it('a worker that lacks the account refuses a stray task as misrouted, and the upload continues once the right worker is there', async () => {
  const { fixture } = on;
  const { account, queuePrefix, config } = fixture;
  const queues = { [transferQueue(queuePrefix, fixture.accountId, config.host)]: false };
  const accounts = [{ account: { ...account, externalId: 'north-studio' } }];
  const stopWrong = await fixture.startBareWorker({ queues }, { accounts });
  const stop = await fixture.startWorker({ host: 'another-host' });
  const file = await fixture.writeFile('film.mp4', 0.1);
  const handle = await fixture.start(file.path);
  const workflow = fixture.connection.client.workflow.getHandle(handle.workflowId);
  const failure = await until(
    'the task is refused',
    async () => (await workflow.describe()).raw.pendingActivities?.[0]?.lastFailure,
    (last) => last?.applicationFailureInfo?.type === 'AccountNotServed',
  );
  expect(failure?.message).toContain('misrouted');
  await stopWrong();
  await stop();
  await fixture.startWorker();
  expect((await handle.result()).status).toBe('COMPLETED');
});
