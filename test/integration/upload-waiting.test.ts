import { describe, expect, it } from '@jest/globals';
import { useCredentials } from '../support/aws-credentials';
import { commandEnv, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
useCredentials('anybody', 'a secret that nobody checks');

describe("an upload whose source is in an S3 that can't be reached", () => {
  it('says so and what to do while it waits', async () => {
    const { fixture } = on;
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const stop = await fixture.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    const handle = await fixture.start('', { source: { kind: 's3', bucket: 'nobody', key: 'away.mp4' } });
    const progress = await until(
      'the upload waits',
      () => handle.progress(),
      ({ waitReason }) => waitReason !== undefined,
    );
    expect(progress).toMatchObject({
      phase: 'pinning',
      waitReason: {
        code: 'Transport',
        message: expect.stringContaining(`S3 at ${endpoint} can't be reached`),
        remedy: expect.objectContaining({ kind: 'set-s3-address' }),
      },
    });
    const env = commandEnv(fixture);
    const shown = await runCommand(['uploads', 'show', handle.workflowId], { cwd: fixture.folder, env });
    expect(shown.stdout).toMatch(/: pinning\n {2}Retrying for up to 24 h: S3 at .*\n {2}What to do: /);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    await stop();
  });
});
