import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import type { Server } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../client/create-client';
import { afterTest } from '../support/after-test';
import { buildCommand, runBuilt, startBuilt } from '../support/built-command';
import type { CommandEnd, RunningProgram } from '../support/built-command';
import { makeIssued } from '../support/certificate';
import { commandEnv, linesOf } from '../support/command';
import { startProxyProcess } from '../support/proxy-process';
import type { ProxyProcess } from '../support/proxy-process';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { startTlsFront } from '../support/tls-front';
import { untilPolled } from '../support/until-polled';

/** Names that only the proxy resolves. */
const NAMES = {
  'api.company.test': '127.0.0.1',
  'upload.company.test': '127.0.0.1',
  'files.company.test': '127.0.0.1',
  'temporal.company.test': '127.0.0.1',
};
const PASSWORD = 'c0rrect:h@rse';

let fixture: UploadFixture;
let proxy: ProxyProcess;
let proxyUrl: string;
let account: UploadFixture['account'];
let env: Record<string, string>;

beforeAll(async () => {
  [fixture, proxy] = await Promise.all([
    openUploadFixture(),
    startProxyProcess({ names: NAMES, login: `jo:${PASSWORD}` }),
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
afterAll(async () => {
  await fixture.close();
  await proxy.close();
});

const run = (words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> =>
  runBuilt(words, { cwd: fixture.folder, env: { ...env, ...change } });

/** Method and path of what the proxy saw since the last call. */
let before = 0;
const passed = async (): Promise<string[]> => {
  const seen = await proxy.seen();
  const lines = seen.slice(before).map((line) => line.replace(/http:\/\/([^/:]+):\d+/, '$1'));
  before = seen.length;
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
    const seen = await passed();
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
    expect(await run(['deliveries', 'list', '--from', '-1d', '--status', 'FAILED'])).toMatchObject({
      exit: 0,
    });
    expect(await passed()).toEqual(
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
      () => "the proxy's address in HTTP_PROXY does not begin with http:// or https://",
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

describe('a Temporal server behind the proxy, with a certificate of the company', () => {
  const name = 'temporal.company.test';
  let files: string;
  let authority: Awaited<ReturnType<typeof makeIssued>>;
  let front: Server;
  let temporal: Record<string, string>;
  beforeAll(async () => {
    authority = await makeIssued('Company Root CA', [name]);
    files = join(fixture.folder, 'company.pem');
    await writeFile(files, authority.ca);
    const [, port = ''] = fixture.config.temporal.address.split(':');
    front = createTlsServer({ ...authority, ALPNProtocols: ['h2'] }, (client) => {
      const server = connect(Number(port), '127.0.0.1');
      pipeline(client, server, () => undefined);
      pipeline(server, client, () => undefined);
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    temporal = {
      TEMPORAL_ADDRESS: `${name}:${String((front.address() as AddressInfo).port)}`,
      TEMPORAL_TLS: 'true',
      HTTPS_PROXY: proxyUrl,
    };
  });
  afterAll(() => void front.close());

  const startWorker = async (change: Record<string, string>): Promise<RunningProgram> => {
    const context = { cwd: fixture.folder, env: { ...env, ...temporal, ...change } };
    const worker = await startBuilt(['worker', '--json'], context);
    afterTest(async () => {
      worker.signal('SIGKILL');
      await worker.ended;
    });
    return worker;
  };

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
    'worker, command and doctor reach it with %s',
    async (variable) => {
      const change = { ...temporal, [variable]: files };
      await passed();
      const worker = await startWorker(change);
      await worker.until('"ready":true');
      expect(await passed()).toContain(`CONNECT ${temporal['TEMPORAL_ADDRESS']}`);
      expect(await run(['uploads', 'list', '--json'], change)).toMatchObject({ exit: 0, stderr: '' });
      const { stdout } = await run(['doctor'], change);
      expect(stdout).toContain(`ok    temporal: ${temporal['TEMPORAL_ADDRESS']} answers`);
      expect(stdout).toContain('ok    worker connection: ');
      worker.signal('SIGTERM');
      const { exit, stderr } = await worker.ended;
      expect(exit).toBe(0);
      expect(stderr).not.toMatch(/c0rrect|h@rse|h%40rse|am86YzByc/);
    },
  );

  test('plain Temporal is reached through the proxy for http', async () => {
    const address = fixture.config.temporal.address.replace('127.0.0.1', name);
    const change = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'false', HTTPS_PROXY: '' };
    const worker = await startWorker(change);
    await worker.until('"ready":true');
    expect(await run(['uploads', 'list', '--json'], change)).toMatchObject({ exit: 0, stderr: '' });
    expect(await passed()).toContain(`CONNECT ${address}`);
  });

  test.each(['certificate', 'password'])(
    'command and worker name a wrong %s in one error, and nothing else is on stderr',
    async (what) => {
      const isPassword = what === 'password';
      const says = isPassword
        ? `the proxy ${proxy.url} refuses user and password (407)`
        : "its TLS certificate, issued by Company Root CA, isn't accepted";
      const wrong = isPassword ? { HTTPS_PROXY: proxy.url.replace('//', '//jo:hunter2@') } : {};
      const worker = await (await startWorker(wrong)).ended;
      const command = await run(['uploads', 'list'], { ...temporal, ...wrong });
      for (const { exit, stderr } of [worker, command]) {
        expect(stderr).toContain(`No Temporal server answers at ${String(temporal['TEMPORAL_ADDRESS'])}`);
        expect(stderr).toContain(proxy.url);
        expect(stderr).toContain(says);
        expect(stderr).not.toMatch(/hunter2|^E |turn TLS off/im);
        expect(exit).toBe(4);
      }
      const { stdout } = await run(['doctor'], { ...temporal, ...wrong });
      expect(stdout).toContain(says);
    },
  );
});

test('the command names the issuer of a certificate that it refuses, and accepts it with SSL_CERT_FILE', async () => {
  const authority = await makeIssued('Company Root CA', ['api.company.test']);
  const file = join(fixture.folder, 'service-authority.pem');
  await writeFile(file, authority.ca);
  const host = `api.company.test:${await startTlsFront(authority, new URL(account.baseUrl).port)}`;
  const change = { MEDIA_SERVICE_BASE_URL: `https://${host}`, HTTPS_PROXY: proxyUrl };
  const refused = await run(['search', '--json'], change);
  expect(refused).toMatchObject({ exit: 4, stdout: '' });
  expect(refused.stderr).toContain(
    `${host}: the server's certificate, issued by Company Root CA, is not trusted`,
  );
  expect(refused.stderr).toContain('NODE_EXTRA_CA_CERTS or SSL_CERT_FILE');
  const accepted = await run(['search', '--json'], { ...change, SSL_CERT_FILE: file });
  expect(accepted).toMatchObject({ exit: 0, stderr: '' });
});

test('command and worker upload over https: source, login, start and complete pass through CONNECT', async () => {
  const names = ['api.company.test', 'upload.company.test', 'files.company.test'];
  const authority = await makeIssued('Company Root CA', names);
  const file = join(fixture.folder, 'https-authority.pem');
  await writeFile(file, authority.ca);
  const { path, sha256 } = await fixture.writeFile('encrypted.mp4', 0.5);
  const { url } = await fixture.serveFile(path);
  const behind = [account.baseUrl, account.uploadUrl, String(url)].map((address) => new URL(address));
  const hosts = await Promise.all(
    behind.map(async ({ port }, at) => `${names[at] ?? ''}:${await startTlsFront(authority, port)}`),
  );
  const [api, upload, files] = hosts.map((host, at) => `https://${host}${behind[at]?.pathname ?? ''}`);
  const change = {
    MEDIA_SERVICE_BASE_URL: String(api).replace(/\/$/, ''),
    MEDIA_SERVICE_UPLOAD_URL: String(upload),
    MEDIA_SERVICE_QUEUE_PREFIX: `${fixture.queuePrefix}-https`,
    HTTPS_PROXY: proxyUrl,
    SSL_CERT_FILE: file,
  };
  await passed();
  const worker = await startBuilt(['worker', '--json'], { cwd: fixture.folder, env: { ...env, ...change } });
  afterTest(async () => {
    worker.signal('SIGKILL');
    await worker.ended;
  });
  await worker.until('"ready":true');
  const ended = await run(['upload', String(files), '--wait', '--json'], change);
  expect(ended).toMatchObject({ exit: 0 });
  const [line] = linesOf<{ readonly uploadId: string }>(ended);
  expect(await fixture.simulator.objectSha256(fixture.session(line?.uploadId).keyName)).toBe(sha256);
  expect(await passed()).toEqual(expect.arrayContaining(hosts.map((host) => `CONNECT ${host}`)));
});

describe('a client in TypeScript', () => {
  afterEach(() => void Reflect.deleteProperty(process.env, 'HTTP_PROXY'));

  test('obeys the proxies of its process, or those that it is given', async () => {
    const { path } = await fixture.writeFile('typescript.mp4', 0.5);
    await passed();
    process.env['HTTP_PROXY'] = proxyUrl;
    for (const connection of [{}, { proxy: { all: proxyUrl } }]) {
      const client = createClient(account, { allowPlainHttp: true, connection });
      expect(await client.upload.file(path)).toMatchObject({ status: 'COMPLETED' });
      await client.close();
      expect(await passed()).toEqual(
        expect.arrayContaining(['POST api.company.test/api/login', 'POST upload.company.test/upload/start']),
      );
      Reflect.deleteProperty(process.env, 'HTTP_PROXY');
    }
  });
});
