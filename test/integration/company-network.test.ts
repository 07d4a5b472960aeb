import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer, type TlsOptions } from 'node:tls';
import { createClient } from '../../client/create-client';
import { afterTest } from '../support/after-test';
import { buildCommand, runBuilt, startBuilt } from '../support/built-command';
import type { CommandEnd, RunningProgram } from '../support/built-command';
import { makeIssued } from '../support/certificate';
import { commandEnv, linesOf } from '../support/command';
import { startForwardProxy } from '../support/forward-proxy';
import type { ForwardProxy } from '../support/forward-proxy';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { listen } from '../support/listen';
import { untilPolled } from '../support/until-polled';

const SERVED = ['api', 'upload', 'files'].map((host) => `${host}.company.test`);
/** Names that only the proxy resolves. */
const NAMES = Object.fromEntries([...SERVED, 'temporal.company.test'].map((name) => [name, '127.0.0.1']));
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
    MEDIA_SERVICE_OPTIONS: '{"allowPlainHttp":true}',
    HTTP_PROXY: proxyUrl,
    NO_PROXY: `intranet.test,${new URL(`http://${fixture.config.temporal.address}`).host}`,
  };
});
const fronts: (() => Promise<void>)[] = [];
afterAll(async () => {
  await fixture.close();
  await Promise.all([proxy.close, ...fronts].map((close) => close()));
});

const run = (words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> =>
  runBuilt(words, { cwd: fixture.folder, env: { ...env, ...change } });

async function startWorker(
  change: Record<string, string>,
  words: readonly string[] = [],
): Promise<RunningProgram> {
  const context = { cwd: fixture.folder, env: { ...env, ...change } };
  const worker = await startBuilt(['worker', '--json', ...words], context);
  afterTest(async () => {
    worker.signal('SIGKILL');
    await worker.ended;
  });
  return worker;
}

/** Speaks TLS in front of a server on loopback. Returns its own port. */
async function startTlsFront(options: TlsOptions, behind: number | string): Promise<number> {
  const { port, close } = await listen(
    createServer(options, (client) => {
      const server = connect(Number(behind), '127.0.0.1');
      pipeline(client, server, () => undefined);
      pipeline(server, client, () => undefined);
    }),
  );
  fronts.push(close);
  return port;
}

/** The authority of certificates for these names, and its file. */
async function makeAuthority(...names: readonly string[]) {
  const authority = await makeIssued('Company Root CA', names);
  const file = join(fixture.folder, `${String(names[0])}.pem`);
  await writeFile(file, authority.ca);
  return { authority, file };
}

/** Method and path of what the proxy saw since the last call. */
let before = 0;
const passed = (): string[] => {
  const { seen } = proxy;
  const lines = seen.slice(before).map((line) => line.replace(/http:\/\/([^/:]+):\d+/, '$1'));
  before = seen.length;
  return lines;
};

test('behind a proxy that wants a password and alone knows the names, command and worker send login, source, start, parts, complete and plain calls of Temporal through it, and say nothing of its password', async () => {
  const { path, sha256 } = await fixture.writeFile('proxied.mp4', 1.5);
  const { url } = await fixture.serveFile(path);
  const address = fixture.config.temporal.address.replace('127.0.0.1', 'temporal.company.test');
  const behind = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'false' };
  const worker = await startWorker(behind, ['--log-level', 'debug']);
  await worker.until('"ready":true');
  const [queue = ''] = (JSON.parse(worker.stdout()) as { queues: string[] }).queues;
  await untilPolled(fixture.connection, [queue]);
  const source = url.replace('127.0.0.1', 'files.company.test');
  const ended = await run(['upload', source, '--wait', '--json', '--part-size', '5MiB'], behind);
  expect(ended).toMatchObject({ exit: 0, stderr: '' });
  const [line] = linesOf<{ readonly uploadId: string }>(ended);
  expect(await fixture.storedSha256(line?.uploadId)).toBe(sha256);
  const seen = passed();
  expect(seen).toEqual(
    expect.arrayContaining([
      `CONNECT ${address}`,
      'POST api.company.test/api/login',
      'GET files.company.test/files/proxied.mp4',
      'POST upload.company.test/upload/start',
      expect.stringMatching(/^POST upload\.company\.test\/upload\/.+\/complete$/),
    ]),
  );
  expect(seen.filter((text) => text.startsWith('PUT 127.0.0.1/'))).toHaveLength(2);
  const { stdout } = await run(['doctor'], behind);
  expect(stdout).toContain(`ok    login: the service at ${account.baseUrl} accepts`);
  expect(stdout).toContain(`ok    upload URL: ${account.uploadUrl} answers`);
  worker.signal('SIGTERM');
  const { exit, stderr } = await worker.ended;
  expect(exit).toBe(0);
  expect(`${stderr}${worker.stdout()}${ended.stdout}`).not.toMatch(/c0rrect|h@rse|h%40rse|am86YzByc/);
});

describe('a Temporal server behind the proxy, with a certificate of the company', () => {
  const name = 'temporal.company.test';
  let file: string;
  let address: string;
  let temporal: Record<string, string>;
  beforeAll(async () => {
    const made = await makeAuthority(name);
    file = made.file;
    const [, port = ''] = fixture.config.temporal.address.split(':');
    address = `${name}:${await startTlsFront({ ...made.authority, ALPNProtocols: ['h2'] }, port)}`;
    temporal = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'true', HTTPS_PROXY: proxyUrl };
  });

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
    'worker, command and doctor reach it with %s',
    async (variable) => {
      const change = { ...temporal, [variable]: file };
      passed();
      const worker = await startWorker(change);
      await worker.until('"ready":true');
      expect(passed()).toContain(`CONNECT ${address}`);
      expect(await run(['uploads', 'list', '--json'], change)).toMatchObject({ exit: 0, stderr: '' });
      const { stdout } = await run(['doctor'], change);
      expect(stdout).toContain(`ok    temporal: ${address} answers`);
      expect(stdout).toContain('ok    worker connection: ');
      worker.signal('SIGTERM');
      const { exit, stderr } = await worker.ended;
      expect(exit).toBe(0);
      expect(stderr).not.toMatch(/c0rrect|h@rse|h%40rse|am86YzByc/);
    },
  );

  test.each(['certificate', 'password'])(
    'command and worker name a wrong %s in one error, and nothing else is on stderr',
    async (what) => {
      const isPassword = what === 'password';
      const says = isPassword
        ? `the proxy ${proxy.url} refuses user and password (407)`
        : 'its certificate was issued by Company Root CA';
      const wrong = isPassword ? { HTTPS_PROXY: proxy.url.replace('//', '//jo:hunter2@') } : {};
      const change = { ...temporal, ...wrong };
      const worker = await (await startWorker(change)).ended;
      const command = await run(['uploads', 'list'], change);
      for (const { exit, stderr } of [worker, command]) {
        expect(stderr).toContain(`No Temporal server answers at ${address}`);
        expect(stderr).toContain(proxy.url);
        expect(stderr).toContain(says);
        expect(stderr).not.toMatch(/hunter2|^E |turn TLS off/im);
        expect(exit).toBe(4);
      }
      const { stdout } = await run(['doctor'], change);
      expect(stdout).toContain(says);
    },
  );
});

test('command and worker upload over https: source, login, start and complete pass through CONNECT', async () => {
  const { authority, file } = await makeAuthority(...SERVED);
  const { path, sha256 } = await fixture.writeFile('encrypted.mp4', 0.5);
  const { url } = await fixture.serveFile(path);
  const behind = [account.baseUrl, account.uploadUrl, url].map((one) => new URL(one));
  const hosts = await Promise.all(
    behind.map(async ({ port }, at) => `${SERVED[at] ?? ''}:${await startTlsFront(authority, port)}`),
  );
  const [api, upload, source] = hosts.map(
    (host, at) => `https://${host}${(behind[at]?.pathname ?? '').replace(/\/$/, '')}`,
  );
  const change = {
    MEDIA_SERVICE_BASE_URL: String(api),
    MEDIA_SERVICE_UPLOAD_URL: String(upload),
    MEDIA_SERVICE_QUEUE_PREFIX: `${fixture.queuePrefix}-https`,
    HTTPS_PROXY: proxyUrl,
    SSL_CERT_FILE: file,
  };
  passed();
  const worker = await startWorker(change);
  await worker.until('"ready":true');
  const ended = await run(['upload', String(source), '--wait', '--json'], change);
  const [line] = linesOf<{ readonly uploadId: string }>(ended);
  expect([ended.exit, await fixture.storedSha256(line?.uploadId)]).toEqual([0, sha256]);
  expect(passed()).toEqual(expect.arrayContaining(hosts.map((host) => `CONNECT ${host}`)));
});

test.each(['of its process', 'that it is given'])(
  'a client in TypeScript uses the proxies %s',
  async (whose) => {
    const isOwn = whose === 'of its process';
    if (isOwn) process.env['HTTP_PROXY'] = proxyUrl;
    afterTest(() => Reflect.deleteProperty(process.env, 'HTTP_PROXY'));
    const { path } = await fixture.writeFile('typescript.mp4', 0.5);
    passed();
    const connection = isOwn ? {} : { proxy: { all: proxyUrl } };
    const client = createClient(account, { allowPlainHttp: true, connection });
    expect(await client.upload.file(path)).toMatchObject({ status: 'COMPLETED' });
    await client.close();
    expect(passed()).toEqual(
      expect.arrayContaining(['POST api.company.test/api/login', 'POST upload.company.test/upload/start']),
    );
  },
);
