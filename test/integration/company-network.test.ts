import { readFile, writeFile } from 'node:fs/promises';
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
import { useBucket } from '../support/s3-bucket';
import { s3Env } from '../support/servers';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { listen, type Listening } from '../support/listen';
import { untilPolled } from '../support/until-polled';

/** Names that only the proxy resolves. */
const NAMES = {
  'api.company.test': '127.0.0.1',
  'upload.company.test': '127.0.0.1',
  'files.company.test': '127.0.0.1',
  's3.company.test': '127.0.0.1',
  'temporal.company.test': '127.0.0.1',
};
const PASSWORD = 'c0rrect:h@rse';

const bucket = useBucket();
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
afterAll(async () => {
  await fixture.close();
  await proxy.close();
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

/** Speaks TLS in front of a server on loopback. */
function openTlsFront(options: TlsOptions, behind: number | string): Promise<Listening> {
  return listen(
    createServer(options, (client) => {
      const server = connect(Number(behind), '127.0.0.1');
      pipeline(client, server, () => undefined);
      pipeline(server, client, () => undefined);
    }),
  );
}

/** The same until the test ends. Returns its own port. */
async function startTlsFront(options: TlsOptions, behind: number | string): Promise<number> {
  const { port, close } = await openTlsFront(options, behind);
  afterTest(close);
  return port;
}

/** Method and path of what the proxy saw since the last call. */
let before = 0;
const passed = (): string[] => {
  const { seen } = proxy;
  const lines = seen.slice(before).map((line) => line.replace(/http:\/\/([^/:]+):\d+/, '$1'));
  before = seen.length;
  return lines;
};

describe('behind a proxy that wants a password and alone knows the names', () => {
  test('command and worker send login, source, start, parts, complete and plain calls of Temporal through it, and say nothing of its password', async () => {
    const { path, sha256 } = await fixture.writeFile('proxied.mp4', 1.5);
    const { url } = await fixture.serveFile(path);
    const address = fixture.config.temporal.address.replace('127.0.0.1', 'temporal.company.test');
    const behind = { TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'false' };
    const worker = await startWorker(behind, ['--log-level', 'debug']);
    await worker.until('"ready":true');
    const [queue = ''] = (JSON.parse(worker.stdout()) as { queues: string[] }).queues;
    await untilPolled(fixture.connection, [queue]);
    const source = String(url).replace('127.0.0.1', 'files.company.test');
    const ended = await run(['upload', source, '--wait', '--json', '--part-size', '5MiB'], behind);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const [line] = linesOf<{ readonly uploadId: string }>(ended);
    expect(await fixture.simulator.objectSha256(fixture.session(line?.uploadId).keyName)).toBe(sha256);
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
});

describe('a Temporal server behind the proxy, with a certificate of the company', () => {
  const name = 'temporal.company.test';
  let files: string;
  let authority: Awaited<ReturnType<typeof makeIssued>>;
  let front: Listening;
  let temporal: Record<string, string>;
  beforeAll(async () => {
    authority = await makeIssued('Company Root CA', [name]);
    files = join(fixture.folder, 'company.pem');
    await writeFile(files, authority.ca);
    const [, port = ''] = fixture.config.temporal.address.split(':');
    front = await openTlsFront({ ...authority, ALPNProtocols: ['h2'] }, port);
    temporal = {
      TEMPORAL_ADDRESS: `${name}:${String(front.port)}`,
      TEMPORAL_TLS: 'true',
      HTTPS_PROXY: proxyUrl,
    };
  });
  afterAll(() => front.close());

  const startWorkerBehind = (change: Record<string, string>): Promise<RunningProgram> =>
    startWorker({ ...temporal, ...change });

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
    'worker, command and doctor reach it with %s',
    async (variable) => {
      const change = { ...temporal, [variable]: files };
      passed();
      const worker = await startWorkerBehind(change);
      await worker.until('"ready":true');
      expect(passed()).toContain(`CONNECT ${temporal['TEMPORAL_ADDRESS']}`);
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

  test.each(['certificate', 'password'])(
    'command and worker name a wrong %s in one error, and nothing else is on stderr',
    async (what) => {
      const isPassword = what === 'password';
      const says = isPassword
        ? `the proxy ${proxy.url} refuses user and password (407)`
        : 'its certificate was issued by Company Root CA';
      const wrong = isPassword ? { HTTPS_PROXY: proxy.url.replace('//', '//jo:hunter2@') } : {};
      const worker = await (await startWorkerBehind(wrong)).ended;
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

test('command and worker upload over https: sources, login, start and complete pass through CONNECT', async () => {
  const names = ['api.company.test', 'upload.company.test', 'files.company.test', 's3.company.test'];
  const authority = await makeIssued('Company Root CA', names);
  const file = join(fixture.folder, 'https-authority.pem');
  await writeFile(file, authority.ca);
  const { path, sha256 } = await fixture.writeFile('encrypted.mp4', 0.5);
  const { url } = await fixture.serveFile(path);
  await bucket.put('encrypted.mp4', await readFile(path));
  const { endpoint = '' } = bucket.settings;
  const behind = [account.baseUrl, account.uploadUrl, String(url), endpoint].map((one) => new URL(one));
  const hosts = await Promise.all(
    behind.map(async ({ port }, at) => `${names[at] ?? ''}:${await startTlsFront(authority, port)}`),
  );
  const [api, upload, files, s3] = hosts.map(
    (host, at) => `https://${host}${(behind[at]?.pathname ?? '').replace(/\/$/, '')}`,
  );
  const change = {
    ...s3Env(),
    MEDIA_SERVICE_S3_ENDPOINT: String(s3),
    MEDIA_SERVICE_BASE_URL: String(api),
    MEDIA_SERVICE_UPLOAD_URL: String(upload),
    MEDIA_SERVICE_QUEUE_PREFIX: `${fixture.queuePrefix}-https`,
    HTTPS_PROXY: proxyUrl,
    SSL_CERT_FILE: file,
  };
  passed();
  const worker = await startWorker(change);
  await worker.until('"ready":true');
  const sources = [String(files), `s3://${bucket.name}/encrypted.mp4`];
  const ended = await run(['upload', ...sources, '--wait', '--json'], change);
  expect(ended).toMatchObject({ exit: 0 });
  const uploads = linesOf<{ readonly uploadId: string }>(ended).map(({ uploadId }) =>
    fixture.session(uploadId),
  );
  const stored = uploads.map(({ keyName }) => fixture.simulator.objectSha256(keyName));
  expect(await Promise.all(stored)).toEqual([sha256, sha256]);
  expect(passed()).toEqual(expect.arrayContaining(hosts.map((host) => `CONNECT ${host}`)));
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
