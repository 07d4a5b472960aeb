import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandEnv, buildCommand, runCommand, startCommand } from '../support/command';
import type { CommandEnd, RunningCommand } from '../support/command';
import { useBucket } from '../support/s3-bucket';
import { sharedS3 } from '../support/servers';
import { untilPolled } from '../support/until-polled';
import { openUploadFixture, type UploadFixture } from '../support/upload-fixture';

const bucket = useBucket();
let fixture: UploadFixture;
let env: Record<string, string>;
let worker: RunningCommand;

beforeAll(async () => {
  await buildCommand();
  fixture = await openUploadFixture();
  const { endpoint, accessKey, secretKey, region } = sharedS3();
  env = {
    ...commandEnv(fixture),
    MEDIA_SERVICE_S3_ENDPOINT: endpoint,
    MEDIA_SERVICE_S3_BUCKETS: bucket.name,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
  };
  worker = await startCommand(['worker', '--json'], { cwd: fixture.folder, env });
  await worker.until('"ready":true');
  const { queues } = JSON.parse(worker.stdout()) as { queues: string[] };
  await untilPolled(fixture.connection, queues);
});
afterAll(async () => {
  worker.signal('SIGTERM');
  await worker.ended;
  await fixture.close();
});

function run(...words: string[]): Promise<CommandEnd> {
  return runCommand(words, { cwd: fixture.folder, env });
}

describe('a worker with S3 settings in its environment', () => {
  it('uploads what `upload s3://…` names', async () => {
    const { path, sha256 } = await fixture.writeFile('film.mp4', 1.5);
    await bucket.put('in/film.mp4', await readFile(path));
    const address = `s3://${bucket.name}/in/film.mp4`;
    const ended = await run('upload', address, '--wait', '--json');
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const { uploadId, ...result } = JSON.parse(ended.stdout) as { uploadId: string; file: string };
    expect(result).toMatchObject({ file: address, status: 'COMPLETED', fileName: 'film.mp4' });
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
  });

  it('names a missing object, and a bucket that is not allowed', async () => {
    const missing = await run('upload', `s3://${bucket.name}/none.mp4`, '--wait');
    expect([missing.exit, missing.stderr]).toEqual([9, expect.stringContaining('none.mp4 does not exist')]);
    const closed = await run('upload', 's3://elsewhere/film.mp4', '--wait');
    expect([closed.exit, closed.stderr]).toEqual([9, expect.stringContaining('MEDIA_SERVICE_S3_BUCKETS')]);
  });
});

describe('doctor', () => {
  it('checks each bucket that is named, the secrets and the output roots', async () => {
    const secrets = join(fixture.folder, 'secrets.json');
    await writeFile(secrets, '{}');
    env = { ...env, MEDIA_SERVICE_SECRETS: secrets, MEDIA_SERVICE_OUTPUT_ROOTS: fixture.folder };
    const { stdout } = await run('doctor');
    expect(stdout).toContain(`ok    S3: ${String(bucket.settings.endpoint)}: ${bucket.name}\n`);
    expect(stdout).toContain(`ok    secrets: ${secrets}\n`);
    expect(stdout).toContain(`ok    output roots: ${fixture.folder}\n`);
  });

  it('says which bucket is missing', async () => {
    env = { ...env, MEDIA_SERVICE_S3_BUCKETS: `${bucket.name},no-such-bucket` };
    const { exit, stdout } = await run('doctor');
    expect(exit).toBe(14);
    expect(stdout).toContain('FAIL  S3: the bucket no-such-bucket does not exist');
  });
});
