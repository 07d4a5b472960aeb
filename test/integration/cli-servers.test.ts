import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandEnv, buildCommand, runCommand, startCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { untilPolled } from '../support/until-polled';
import { openUploadFixture, type UploadFixture } from '../support/upload-fixture';

let fixture: UploadFixture;

beforeAll(async () => {
  await buildCommand();
  fixture = await openUploadFixture();
});
afterAll(() => fixture.close());

interface Ready {
  readonly environment: Record<string, string>;
  readonly baseUrl: string;
}

describe('media-service simulator', () => {
  it('prints the environment variables that point the command at it, and ends cleanly', async () => {
    const simulator = await startCommand(['simulator', '--json', '--media', '7'], { cwd: fixture.folder });
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

  it('prints lines that a shell accepts and the command can use', async () => {
    const simulator = await startCommand(['simulator', '--media', '7'], { cwd: fixture.folder });
    await simulator.until('Paste the lines above');
    const lines = [...simulator.stdout().matchAll(/^export (\w+)='(.*)'$/gm)];
    const env = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    const { exit, stdout } = await runCommand(['search', '--json'], { cwd: fixture.folder, env });
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
    const { exit, stderr } = await runCommand(['simulator', ...words], { cwd: fixture.folder });
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('media-service worker', () => {
  it('names the queues that it polls, uploads files below its folder, and ends cleanly on SIGTERM', async () => {
    const env = {
      ...commandEnv(fixture),
      MEDIA_SERVICE_HOST: 'cli-host',
    };
    const { sha256 } = await fixture.writeFile('served.mp4', 1.5);
    const health = ['--health-port', String(await freePort()), '--health-host', '127.0.0.1'];
    const worker = await startCommand(['worker', '--json', ...health], { cwd: fixture.folder, env });
    await worker.until('"ready":true');
    expect((await fetch(`http://127.0.0.1:${health[1] ?? ''}/readyz`)).status).toBe(200);
    const queue = `${fixture.queuePrefix}.${fixture.accountId}`;
    const queues = [queue, `${queue}.transfer`, `${queue}.transfer@cli-host`];
    await untilPolled(fixture.connection, queues);
    const doctor = await runCommand(['doctor', '--json'], { cwd: fixture.folder, env });
    expect(doctor.exit).toBe(0);
    const upload = await runCommand(['upload', 'served.mp4', '--wait', '--json'], {
      cwd: fixture.folder,
      env,
    });
    expect(upload).toMatchObject({ exit: 0, stderr: '' });
    worker.signal('SIGTERM');
    const { exit, stdout, stderr } = await worker.ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ready: true, queues });
    const { uploadId } = JSON.parse(upload.stdout) as { uploadId: string };
    expect(await fixture.simulator.objectSha256(fixture.session(uploadId).keyName)).toBe(sha256);
    const log = stderr.trimEnd().split('\n');
    expect(log.every((line) => typeof JSON.parse(line) === 'object')).toBe(true);
    expect(stderr).not.toContain(fixture.account.secretKey);
    expect(stderr).not.toContain('X-Amz-Signature');
    expect(log.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        message: 'Health checks and metrics are answered',
        url: `http://127.0.0.1:${health[1] ?? ''}`,
      }),
    );
  });

  it('keeps running when the reader of its log and output dies', async () => {
    const env = {
      ...commandEnv(fixture),
      MEDIA_SERVICE_HOST: 'unread-host',
    };
    await fixture.writeFile('unread.mp4', 1.5);
    const worker = await startCommand(['worker', '--log-level', 'debug'], { cwd: fixture.folder, env });
    worker.stopReading('stdout');
    worker.stopReading('stderr');
    const queue = `${fixture.queuePrefix}.${fixture.accountId}`;
    const died = worker.ended.then(({ exit }) => {
      throw new Error(`The worker has ended with ${String(exit)}.`);
    });
    await Promise.race([untilPolled(fixture.connection, [`${queue}.transfer@unread-host`]), died]);
    const upload = await runCommand(['upload', 'unread.mp4', '--wait', '--json'], {
      cwd: fixture.folder,
      env,
    });
    expect(upload).toMatchObject({ exit: 0, stderr: '' });
    worker.signal('SIGTERM');
    await expect(died).rejects.toThrow('The worker has ended with 0.');
  });

  it('names what is missing instead of starting', async () => {
    const { exit, stderr } = await runCommand(['worker'], { cwd: fixture.folder });
    expect(exit).toBe(3);
    expect(stderr).toContain('Not set: MEDIA_SERVICE_BASE_URL');
  });
});
