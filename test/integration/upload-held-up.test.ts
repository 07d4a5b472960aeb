import { beforeAll, describe, expect, it } from '@jest/globals';
import { useCredentials } from '../support/aws-credentials';
import { commandEnv, buildCommand, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { until } from '../support/until';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
useCredentials('anybody', 'a secret that nobody checks');
beforeAll(buildCommand);

describe('an upload whose source lies in an S3 that nobody reaches', () => {
  it('says so and what to do while it waits', async () => {
    const { bed } = on;
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const stop = await bed.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    const handle = await bed.start('', { source: { kind: 's3', bucket: 'nobody', key: 'away.mp4' } });
    const progress = await until(
      'the upload is held up',
      () => handle.progress(),
      ({ heldUpBy }) => heldUpBy !== undefined,
    );
    expect(progress).toMatchObject({
      phase: 'pinning',
      heldUpBy: {
        code: 'Transport',
        message: expect.stringContaining(`S3 at ${endpoint} cannot be reached`),
        hint: expect.stringContaining('MEDIA_SERVICE_S3_ENDPOINT'),
      },
    });
    const env = commandEnv(bed);
    const shown = await runCommand(['uploads', 'show', handle.workflowId], { cwd: bed.folder, env });
    expect(shown.stdout).toMatch(/: pinning\n {2}Retrying for up to 24 h: S3 at .*\n {2}What to do: /);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'Cancelled' });
    await stop();
  });
});
