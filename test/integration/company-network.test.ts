import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../api/create-client';
import { afterTest } from '../support/after-test';
import { buildCommand, runBuilt, startBuilt, type CommandEnd } from '../support/built-command';
import { commandEnv, linesOf } from '../support/command';
import { startForwardProxy, type ForwardProxy } from '../support/forward-proxy';
import { openUploadFixture, type UploadFixture } from '../support/upload-fixture';
import { untilPolled } from '../support/until-polled';

/** Names that only the proxy resolves. */
const NAMES = {
  'api.company.test': '127.0.0.1',
  'upload.company.test': '127.0.0.1',
  'files.company.test': '127.0.0.1',
};
const PASSWORD = 'c0rrect:h@rse';

let fixture: UploadFixture;
let proxy: ForwardProxy;
let proxyUrl: string;
let account: UploadFixture['account'];
let env: Record<string, string>;

beforeAll(async () => {
  [fixture, proxy] = await Promise.all([
    openUploadFixture(),
    startForwardProxy({ names: NAMES, login: `jo:${PASSWORD}` }),
    buildCommand(),
  ]);
  proxyUrl = proxy.url.replace('//', `//jo:${encodeURIComponent(PASSWORD)}@`);
  account = {
    ...fixture.account,
    baseUrl: fixture.account.baseUrl.replace('127.0.0.1', 'api.company.test'),
    uploadUrl: fixture.account.uploadUrl.replace('127.0.0.1', 'upload.company.test'),
  };
  env = {
    ...commandEnv({ ...fixture, account }),
    MEDIA_SERVICE_ALLOW_PLAIN_HTTP: 'true',
    HTTP_PROXY: proxyUrl,
    NO_PROXY: `intranet.test,${new URL(`http://${fixture.config.temporal.address}`).host}`,
  };
});
afterAll(async () => {
  await fixture.close();
  await proxy.close();
});

const run = (words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> =>
  runBuilt(words, { cwd: fixture.folder, env: { ...env, ...change } });

/** Method and path of what the proxy saw since the last call. */
let before = 0;
const passed = (): string[] => {
  const lines = proxy.seen.slice(before).map((line) => line.replace(/http:\/\/([^/:]+):\d+/, '$1'));
  before = proxy.seen.length;
  return lines;
};

describe('behind a proxy that wants a password and alone knows the names', () => {
  test('command and worker send login, source, start, parts and complete through it, and say nothing of its password', async () => {
    const { path, sha256 } = await fixture.writeFile('proxied.mp4', 1.5);
    const { url } = await fixture.serveFile(path);
    const worker = await startBuilt(['worker', '--json', '--log-level', 'debug'], {
      cwd: fixture.folder,
      env,
    });
    afterTest(async () => {
      worker.signal('SIGKILL');
      await worker.ended;
    });
    await worker.until('"ready":true');
    const [queue = ''] = (JSON.parse(worker.stdout()) as { queues: string[] }).queues;
    await untilPolled(fixture.connection, [queue]);
    const ended = await run([
      ...['upload', String(url).replace('127.0.0.1', 'files.company.test'), '--wait', '--json'],
      ...['--part-size', '5MiB'],
    ]);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const [line] = linesOf<{ readonly uploadId: string }>(ended);
    expect(await fixture.simulator.objectSha256(fixture.session(line?.uploadId).keyName)).toBe(sha256);
    const seen = passed();
    expect(seen).toEqual(
      expect.arrayContaining([
        'POST api.company.test/api/login',
        'GET files.company.test/files/proxied.mp4',
        'POST upload.company.test/upload/start',
        expect.stringMatching(/^POST upload\.company\.test\/upload\/.+\/complete$/),
      ]),
    );
    expect(seen.filter((text) => text.startsWith('PUT 127.0.0.1/'))).toHaveLength(2);
    worker.signal('SIGTERM');
    const { exit, stderr } = await worker.ended;
    expect(exit).toBe(0);
    expect(`${stderr}${worker.stdout()}${ended.stdout}`).not.toMatch(/c0rrect|h@rse|h%40rse|am86YzByc/);
  });

  test('search and export pass through it, and doctor finds what it needs', async () => {
    expect(await run(['search', '--json'])).toMatchObject({ exit: 0, stderr: '' });
    expect(await run(['webhooks', 'export', '--from', '-1d', '--status', 'FAILED'])).toMatchObject({
      exit: 0,
    });
    expect(passed()).toEqual(
      expect.arrayContaining([
        'POST api.company.test/api/media/search',
        expect.stringMatching(/^\w+ api\.company\.test\/api\/.*webhook/),
      ]),
    );
    const { stdout } = await run(['doctor']);
    expect(stdout).toContain(`ok    login: the service at ${account.baseUrl} accepts`);
    expect(stdout).toContain(`ok    upload URL: ${account.uploadUrl} answers`);
  });

  test.each([
    ['without a user', () => proxy.url, () => `the proxy ${proxy.url} asks for a user and a password (407)`],
    [
      'with a wrong password',
      () => proxy.url.replace('//', '//jo:hunter2@'),
      () => `the proxy ${proxy.url} refuses user and password (407)`,
    ],
    [
      'without a scheme',
      () => 'jo:hunter2@proxy.company.test:3128',
      () =>
        `the proxy's address in HTTP_PROXY ("proxy.company.test:3128") does not begin with http:// or https://`,
    ],
  ])('an address of the proxy %s is named', async (_what, address, says) => {
    const { exit, stdout, stderr } = await run(['search'], { HTTP_PROXY: address() });
    expect({ exit: exit === 0, stdout, says: stderr.includes(says()) || stderr }).toEqual({
      exit: false,
      stdout: '',
      says: true,
    });
    expect(stderr).not.toContain('hunter2');
  });
});

describe('a client in TypeScript', () => {
  afterEach(() => void Reflect.deleteProperty(process.env, 'HTTP_PROXY'));

  test('obeys the proxies of its process, or those that it is given', async () => {
    const { path } = await fixture.writeFile('typescript.mp4', 0.5);
    passed();
    process.env['HTTP_PROXY'] = proxyUrl;
    for (const connection of [{}, { proxy: { all: proxyUrl } }]) {
      const client = createClient(account, { allowPlainHttp: true, connection });
      expect(await client.upload.file(path)).toMatchObject({ status: 'COMPLETED' });
      await client.close();
      expect(passed()).toEqual(
        expect.arrayContaining(['POST api.company.test/api/login', 'POST upload.company.test/upload/start']),
      );
      Reflect.deleteProperty(process.env, 'HTTP_PROXY');
    }
  });
});
