import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommand, startBuilt } from '../support/built-command';
import { commandEnv, linesOf, runCommand, type CommandEnd } from '../support/command';
import { freePort } from '../support/free-port';
import { useBucket } from '../support/s3-bucket';
import { s3Env } from '../support/servers';
import { untilPolled } from '../support/until-polled';
import { openUploadFixture, type UploadFixture } from '../support/upload-fixture';

const bucket = useBucket();
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
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'prints the variables of the command, and ends cleanly on %s',
    async (signal) => {
      const simulator = await startBuilt(['simulator', '--json'], { cwd: fixture.folder });
      await simulator.until('}}\n');
      simulator.signal(signal);
      const { exit, stdout } = await simulator.ended;
      expect(exit).toBe(0);
      const { environment, baseUrl } = JSON.parse(stdout) as Ready;
      expect(environment).toMatchObject({
        MEDIA_SERVICE_BASE_URL: baseUrl,
        MEDIA_SERVICE_EXTERNAL_ID: 'demo-studio',
        MEDIA_SERVICE_ADDITIONAL_URLS: expect.stringContaining('{partNumbers}'),
      });
    },
  );
});

it('a simulator on a port that is in use says so, and how to go on', async () => {
  const port = new URL(fixture.simulator.baseUrl).port;
  const { exit, stderr } = await runCommand(['simulator', '--port', port], { cwd: fixture.folder });
  expect(exit).toBe(3);
  expect(stderr).toMatch(/^Error: The port \d+ is in use\. .*\n {2}What to do: Choose another --port/);
});

describe('media-service worker', () => {
  const env = (host: string): Record<string, string> => ({
    ...commandEnv(fixture),
    ...s3Env(),
    MEDIA_SERVICE_S3_BUCKETS: bucket.name,
    MEDIA_SERVICE_HOST: host,
  });
  const run = (words: string[], change: Record<string, string> = {}): Promise<CommandEnd> =>
    runCommand(words, { cwd: fixture.folder, env: { ...env('cli-host'), ...change } });

  async function uploads(source: string, sha256: string): Promise<void> {
    const ended = await run(['upload', source, '--wait', '--json']);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const [line] = linesOf<{ readonly uploadId: string }>(ended);
    expect(line).toMatchObject({ file: source, status: 'COMPLETED', fileName: 'film.mp4' });
    expect(await fixture.storedSha256(line?.uploadId)).toBe(sha256);
  }

  it('names the queues that it polls, uploads files below its folder and from S3, and ends cleanly on SIGTERM', async () => {
    const { path, sha256 } = await fixture.writeFile('film.mp4', 1.5);
    await bucket.put('in/film.mp4', await readFile(path));
    const url = `http://127.0.0.1:${String(await freePort())}`;
    const health = ['--health', new URL(url).host];
    const context = { cwd: fixture.folder, env: env('cli-host') };
    const worker = await startBuilt(['worker', '--json', ...health], context);
    await worker.until('"ready":true');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const queue = `${fixture.queuePrefix}.${fixture.accountId}`;
    const parts = [queue, `${queue}.transfer`, `${queue}.transfer@cli-host`];
    const queues = [...parts, `${queue}.pages`, `${queue}.pages@cli-host`];
    await untilPolled(fixture.connection, queues);
    await uploads('film.mp4', sha256);
    await uploads(`s3://${bucket.name}/in/film.mp4`, sha256);
    const missing = await run(['upload', `s3://${bucket.name}/none.mp4`, '--wait']);
    expect([missing.exit, missing.stderr]).toEqual([5, expect.stringContaining('none.mp4 does not exist')]);
    const closed = await run(['upload', 's3://elsewhere/film.mp4', '--wait']);
    expect([closed.exit, closed.stderr]).toEqual([5, expect.stringContaining('MEDIA_SERVICE_S3_BUCKETS')]);
    await doctorFindsAll();

    worker.signal('SIGTERM');
    const { exit, stdout, stderr } = await worker.ended;
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ready: true, queues });
    expect(stderr).not.toContain(fixture.account.secretKey);
    expect(stderr).not.toContain('X-Amz-Signature');
    const message = 'Health checks are answered';
    expect(linesOf({ stdout: stderr })).toContainEqual(expect.objectContaining({ message, url }));
  });

  /** While the worker runs. */
  async function doctorFindsAll(): Promise<void> {
    const secrets = join(fixture.folder, 'secrets.json');
    await writeFile(secrets, '{}');
    const more = { MEDIA_SERVICE_SECRETS: secrets, MEDIA_SERVICE_OUTPUT_ROOTS: fixture.folder };
    const { exit, stdout } = await run(['doctor'], more);
    expect(exit).toBe(0);
    expect(stdout).toContain(`ok    secrets: ${secrets}\n`);
    expect(stdout).toContain(`ok    output roots: ${fixture.folder}\n`);
  }

  it('keeps running when the reader of its log and output dies', async () => {
    const context = { cwd: fixture.folder, env: env('unread-host') };
    await fixture.writeFile('unread.mp4', 1.5);
    const worker = await startBuilt(['worker', '--log-level', 'debug'], context);
    worker.stopReading('stdout');
    worker.stopReading('stderr');
    const queue = `${fixture.queuePrefix}.${fixture.accountId}`;
    const died = worker.ended.then(({ exit }) => {
      throw new Error(`The worker has ended with ${String(exit)}.`);
    });
    await Promise.race([untilPolled(fixture.connection, [`${queue}.transfer@unread-host`]), died]);
    const upload = await runCommand(['upload', 'unread.mp4', '--wait', '--json'], context);
    expect(upload).toMatchObject({ exit: 0, stderr: '' });
    worker.signal('SIGTERM');
    await expect(died).rejects.toThrow('The worker has ended with 0.');
  });
});
