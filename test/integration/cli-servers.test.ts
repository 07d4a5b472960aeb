import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandEnv, buildCommand, runCommand, startCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { untilPolled } from '../support/until-polled';
import { openUploadBed, type UploadBed } from '../support/upload-bed';

let bed: UploadBed;

beforeAll(async () => {
  await buildCommand();
  bed = await openUploadBed();
});
afterAll(() => bed.close());

interface Ready {
  readonly environment: Record<string, string>;
  readonly baseUrl: string;
}

describe('media-service simulator', () => {
  it('prints the environment that points the command at it, and ends in order', async () => {
    const simulator = await startCommand(['simulator', '--json', '--media', '7'], { cwd: bed.folder });
    await simulator.until('}}\n');
    simulator.signal('SIGTERM');
    const { exit, stdout } = await simulator.ended;
    expect(exit).toBe(0);
    const { environment, baseUrl } = JSON.parse(stdout) as Ready;
    expect(environment).toMatchObject({
      MEDIA_SERVICE_BASE_URL: baseUrl,
      MEDIA_SERVICE_EXTERNAL_ID: 'demo-studio',
      MEDIA_SERVICE_ADDITIONAL_URLS: expect.stringContaining('{partNumbers}'),
    });
  });

  it('prints lines that a shell takes, and the command works with them', async () => {
    const simulator = await startCommand(['simulator', '--media', '7'], { cwd: bed.folder });
    await simulator.until('Paste the lines above');
    const lines = [...simulator.stdout().matchAll(/^export (\w+)='(.*)'$/gm)];
    const env = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    const { exit, stdout } = await runCommand(['search', '--json'], { cwd: bed.folder, env });
    simulator.signal('SIGINT');
    expect((await simulator.ended).exit).toBe(0);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ totalElements: 7 });
  });

  it.each([
    ['an unknown fault', ['--fault', 'put-999'], 'put-999'],
    ['an unknown shape', ['--shape', 'round'], 'round'],
    ['shapes that exclude each other', ['--shape', 'urls-map', '--shape', 'urls-flat'], 'exclude each other'],
    ['an S3 storage without an address', ['--storage', 's3'], '--s3-endpoint'],
  ])('refuses %s', async (_label, words, message) => {
    const { exit, stderr } = await runCommand(['simulator', ...words], { cwd: bed.folder });
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('media-service worker', () => {
  it('says which queues it polls, uploads files below its folder, and ends in order on SIGTERM', async () => {
    const env = {
      ...commandEnv(bed),
      MEDIA_SERVICE_HOST: 'cli-host',
    };
    const { sha256 } = await bed.writeFile('served.mp4', 1.5);
    const health = ['--health-port', String(await freePort()), '--health-host', '127.0.0.1'];
    const worker = await startCommand(['worker', '--json', ...health], { cwd: bed.folder, env });
    await worker.until('"ready":true');
    expect((await fetch(`http://127.0.0.1:${health[1] ?? ''}/readyz`)).status).toBe(200);
    const queue = `${bed.queuePrefix}.${bed.accountId}`;
    const queues = [queue, `${queue}.transfer`, `${queue}.transfer@cli-host`];
    await untilPolled(bed.connection, queues);
    const doctor = await runCommand(['doctor', '--json'], { cwd: bed.folder, env });
    expect(doctor.exit).toBe(0);
    const upload = await runCommand(['upload', 'served.mp4', '--wait', '--json'], { cwd: bed.folder, env });
    expect(upload).toMatchObject({ exit: 0, stderr: '' });
    worker.signal('SIGTERM');
    const { exit, stdout, stderr } = await worker.ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ready: true, queues });
    const { uploadId } = JSON.parse(upload.stdout) as { uploadId: string };
    expect(await bed.simulator.objectSha256(bed.session(uploadId).keyName)).toBe(sha256);
    const log = stderr.trimEnd().split('\n');
    expect(log.every((line) => typeof JSON.parse(line) === 'object')).toBe(true);
    expect(stderr).not.toContain(bed.account.secretKey);
    expect(stderr).not.toContain('X-Amz-Signature');
    expect(log.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        message: 'Health checks and metrics are answered',
        url: `http://127.0.0.1:${health[1] ?? ''}`,
      }),
    );
  });

  it('goes on when whoever read its log and its output has died', async () => {
    const env = {
      ...commandEnv(bed),
      MEDIA_SERVICE_HOST: 'unread-host',
    };
    await bed.writeFile('unread.mp4', 1.5);
    const worker = await startCommand(['worker', '--log-level', 'debug'], { cwd: bed.folder, env });
    worker.stopReading('stdout');
    worker.stopReading('stderr');
    const queue = `${bed.queuePrefix}.${bed.accountId}`;
    const died = worker.ended.then(({ exit }) => {
      throw new Error(`The worker has ended with ${String(exit)}.`);
    });
    await Promise.race([untilPolled(bed.connection, [`${queue}.transfer@unread-host`]), died]);
    const upload = await runCommand(['upload', 'unread.mp4', '--wait', '--json'], { cwd: bed.folder, env });
    expect(upload).toMatchObject({ exit: 0, stderr: '' });
    worker.signal('SIGTERM');
    await expect(died).rejects.toThrow('The worker has ended with 0.');
  });

  it('names what is missing instead of starting', async () => {
    const { exit, stderr } = await runCommand(['worker'], { cwd: bed.folder });
    expect(exit).toBe(3);
    expect(stderr).toContain('Not set: MEDIA_SERVICE_BASE_URL');
  });
});
