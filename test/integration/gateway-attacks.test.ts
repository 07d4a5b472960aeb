import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get as request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { accountId } from '../../api/account';
import { type Admission, createAdmission } from '../../gateway/admission';
import { RIGHTS } from '../../gateway/tokens';
import { secretsIn } from '../support/canary';
import { makeCertificate } from '../support/certificate';
import { startTestGateway } from '../support/gateway-fixture';
import type { Asking, GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let gateway: TestGateway;
let other: { readonly account: typeof on.fixture.account; readonly id: string };
let path: string;
/** By the names that they have in attacks. */
const tokens: Record<string, string> = {};

beforeAll(async () => {
  const { fixture } = on;
  const account = { ...fixture.account, externalId: 'other-studio' };
  other = { account, id: accountId(account) };
  gateway = await startTestGateway(fixture, { accounts: [...fixture.config.accounts, { account }] });
  for (const right of RIGHTS)
    tokens[`TOKEN_${right}`] = await gateway.makeToken(`may only ${right}`, [right]);
  tokens['TOKEN_other'] = await gateway.makeToken('other', RIGHTS, other.id);
  tokens['TOKEN_gone'] = await gateway.makeToken('gone', RIGHTS, 'gone-studio-1a2b3c4d');
  ({ path } = await fixture.writeFile('mine.mp4', 0.1));
  await gateway.ask('/v1/uploads', { body: { source: path, ingestKey: 'mine' } });
  await gateway.ask('/v1/batches', { body: { rows: [{ id: '1', source: path }], batchId: 'mine' } });
  await gateway.ask('/v1/uploads/mine?wait=60');
  await gateway.ask('/v1/batches/mine?wait=60');
  await symlink('/etc/passwd', join(fixture.folder, 'link.mp4'));
});
afterAll(() => gateway.stop());

/**
 * What is asked for, how it is refused, and what the answer says. In texts, FILE, FOLDER, UPLOAD, BATCH and TOKEN_… stand
 * for those of the fixture, LONG for 9,000 characters.
 */
type Attack = readonly [request: string, status: number, says: string, asking?: Asking];

function asked(request: string, asking: Asking = {}): [string, Asking] {
  const { fixture } = on;
  const workflow = (kind: string): string => encodeURIComponent(`${kind}/${fixture.accountId}/mine`);
  const names = { FILE: path, FOLDER: fixture.folder, LONG: 'x'.repeat(9_000) };
  const values = { ...names, UPLOAD: workflow('upload'), BATCH: workflow('batch'), ...tokens };
  const filled = (text: string): string =>
    Object.entries(values).reduce((so, [name, value]) => so.replaceAll(name, value), text);
  const [method = '', address = ''] = filled(request).split(' ');
  return [address, { method, ...(JSON.parse(filled(JSON.stringify(asking))) as Asking) }];
}

const JSON_TYPE = { 'content-type': 'application/json' };
const UPLOADS = 'POST /v1/uploads';
const BATCHES = 'POST /v1/batches';
/** A start that would be accepted, with this changed. */
const start = (change: object): Asking => ({ body: { source: 'FILE', ingestKey: 'new', ...change } });

/** Who asks. */
const IDENTITY: readonly Attack[] = [
  ...[null, 'mst_none', 'TOKEN_startx', 'a'.repeat(64), 'TOKEN_read, TOKEN_read'].map((token): Attack => [
    UPLOADS,
    401,
    'Unauthorized',
    { ...start({}), token },
  ]),
  ['POST /v1/files?fileName=a.mp4', 401, 'Unauthorized', { token: null }],
  ['GET /v1/uploads', 401, 'Unauthorized', { token: null, headers: { authorization: 'Basic YTpi' } }],
  ['GET /v1/uploads?token=TOKEN_read', 401, 'Unauthorized', { token: null }],
  ['GET /v1/uploads', 403, 'AccountNotServed', { token: 'TOKEN_gone' }],
];

/** A token with one right, what it asks for, and the right that it lacks. */
const LACKED_RIGHTS: readonly Attack[] = (
  [
    ['read', 'POST /v1/uploads', 'start'],
    ['read', 'POST /v1/batches', 'start'],
    ['read', 'POST /v1/files?fileName=a.mp4', 'start'],
    ['read', 'POST /v1/uploads/mine/pause', 'control'],
    ['read', 'POST /v1/uploads/mine/retry', 'control'],
    ['start', 'GET /v1/uploads/mine', 'read'],
    ['start', 'GET /v1/uploads', 'read'],
    ['start', 'POST /v1/uploads/mine/cancel', 'control'],
    ['control', 'POST /v1/uploads', 'start'],
    ['control', 'GET /v1/batches/mine/results', 'read'],
    ['control', 'POST /v1/waits', 'start'],
  ] as const
).map(([right, request, needed]) => [request, 403, `right to ${needed}`, { token: `TOKEN_${right}` }]);

const ACCOUNTS: readonly Attack[] = [
  ...['GET /v1/uploads/UPLOAD', 'GET /v1/uploads/UPLOAD?wait=5', 'POST /v1/uploads/UPLOAD/pause'],
  ...['POST /v1/uploads/UPLOAD/cancel', 'POST /v1/uploads/UPLOAD/retry'],
  ...['GET /v1/batches/BATCH', 'GET /v1/batches/BATCH/results', 'POST /v1/batches/BATCH/resume'],
].map((request) => {
  const noun = request.includes('BATCH') ? 'batch' : 'upload';
  return [request, 404, `no ${noun}`, { token: 'TOKEN_other' }];
});
const KINDS: readonly Attack[] = [
  ['GET /v1/uploads/BATCH', 404, 'There is no upload'],
  ['GET /v1/batches/batch%2F..%2Fupload%2Fmine', 404, 'There is no batch'],
  ['GET /v1/uploads/..%2F..%2Fhealthz', 404, 'There is no upload'],
];

const SOURCES: readonly Attack[] = [
  ...(
    [
      ['/etc/passwd', 403, 'SourceNotAllowed'],
      ['/etc/none', 403, 'SourceNotAllowed'],
      ['FOLDER/../../etc/passwd', 403, 'SourceNotAllowed'],
      ['FOLDER/link.mp4', 403, 'SourceNotAllowed'],
      ['mine.mp4', 400, 'absolute path'],
      ['file:///etc/passwd', 400, 'source'],
      ['gopher://127.0.0.1:6379/_FLUSHALL', 400, 'not read'],
    ] as const
  ).map(([source, status, says]): Attack => [UPLOADS, status, says, start({ source })]),
  [UPLOADS, 400, 'NUL', start({ source: 'FOLDER/a\0.mp4', sharedPath: true })],
  [BATCHES, 403, 'SourceNotAllowed', { body: { manifest: '/etc/hosts.csv' } }],
  [BATCHES, 400, 'folder', { body: { rows: [{}], batchId: 'b', folder: 'out' } }],
];

const FORMS: readonly Attack[] = [
  [UPLOADS, 400, 'not JSON', { body: '{', headers: JSON_TYPE }],
  // A form of a web page can send this.
  [UPLOADS, 415, 'application/json', { body: '{}', headers: { 'content-type': 'text/plain' } }],
  [UPLOADS, 413, 'too large', start({ metadata: { text: 'x'.repeat(3_000_000) } })],
  [UPLOADS, 400, 'workflowId is not known here', start({ workflowId: 'upload/other/1' })],
  [UPLOADS, 400, '__proto__', { body: '{"source":"/a","__proto__":{"again":true}}', headers: JSON_TYPE }],
  [UPLOADS, 400, 'options.heartbeatMs is not known here', start({ options: { heartbeatMs: 1 } })],
  [UPLOADS, 400, 'must be a whole number from 1 to 16', start({ options: { concurrency: 99 } })],
  [UPLOADS, 400, 'media.tags.a', start({ media: { tags: { a: {} } } })],
  [UPLOADS, 400, 'source is missing', { body: {} }],
  [UPLOADS, 400, 'the body', { body: [] }],
  [BATCHES, 400, 'rows is empty', { body: { rows: [] } }],
  [BATCHES, 400, 'batch id', { body: { rows: [{}], batchId: '../../other' } }],
  ['GET /v1/uploads/mine?wait=3600', 400, 'wait'],
  ['GET /v1/uploads/mine?wait=-1', 400, 'wait'],
  ['GET /v1/uploads/mine?wait=1&wait=2', 400, 'wait'],
  ['GET /v1/uploads?limit=1000000', 400, 'limit'],
  ['GET /v1/uploads?page=eyJvZmZzZXQiOi0xfQ', 400, 'page'],
  [`GET /v1/uploads?status=${encodeURIComponent('Running") OR ("')}`, 400, 'must be one of'],
  ['GET /v1/uploads/mine?debug=1', 400, 'debug is not known here'],
  ['GET /v1/uploads/%E0%A4%A', 400, 'Validation'],
  ['GET /v1/uploads/LONG', 414, 'max param length'],
  ['GET /v2/uploads', 404, 'no such address'],
  ['PUT /v1/uploads/mine', 404, 'no such address'],
];

describe.each([
  ['who asks', IDENTITY],
  ['what a token may', LACKED_RIGHTS],
  ['accounts', [...ACCOUNTS, ...KINDS]],
  ['sources', SOURCES],
  ['the form of requests', FORMS],
])('a request that breaks a rule about %s', (_about, attacks) => {
  it.each(attacks)('is refused: %s with %i %s', async (...[request, status, says, asking]: Attack) => {
    const { apiKey, secretKey } = on.fixture.account;
    const answer = await gateway.ask(...asked(request, asking));
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(says)]);
    const { error } = answer.json as { readonly error: Record<string, unknown> };
    expect(error).toEqual(expect.objectContaining({ code: expect.any(String), message: expect.any(String) }));
    const hidden = [apiKey, secretKey, ...Object.values(tokens), 'root:', 'node_modules', ' at '];
    expect(secretsIn(answer.text, hidden)).toEqual([]);
  });
});

it("another account's lists show nothing of this one, whatever the query says", async () => {
  await gateway.askUntil('/v1/uploads', ({ text }) => text.includes('"mine"'));
  const injected = encodeURIComponent(`x" OR TaskQueue = "${on.fixture.queuePrefix}.${on.fixture.accountId}`);
  for (const address of ['/v1/uploads', '/v1/batches', `/v1/uploads?name=${injected}`]) {
    expect(await gateway.ask(address, { token: tokens['TOKEN_other'] ?? '' })).toMatchObject({
      status: 200,
      json: { items: [] },
    });
  }
});

it('a token that was deleted from the file is refused from the next second on', async () => {
  const token = await gateway.makeToken('short', ['read']);
  const untilAnswered = (wanted: number): Promise<GatewayAnswer> =>
    gateway.askUntil('/v1/uploads/mine', ({ status }) => status === wanted, { token });
  await untilAnswered(200);
  await writeFile(gateway.tokensFile, '{"tokens":[]}');
  await untilAnswered(401);
  await writeFile(gateway.tokensFile, 'secret nonsense');
  const broken = await untilAnswered(500);
  expect(broken.json).toMatchObject({ error: { code: 'Configuration' } });
  expect(broken.text).not.toMatch(/nonsense|tokens\.json/);
});

describe('a connection', () => {
  let own: TestGateway;
  beforeAll(async () => {
    own = await startTestGateway(on.fixture, { limits: { receiveMs: 300 } });
  });
  afterAll(() => own.stop());

  it.each<[label: string, sent: string, expected: RegExp]>([
    ['headers that do not end', 'GET /healthz HTTP/1.1\r\nhost: x\r\n', /^HTTP\/1\.1 408 /],
    [
      'too many headers',
      `GET /healthz HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'two lengths of a body',
      'POST /v1/uploads HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
    ['what is not HTTP', '\x16\x03\x01\x02\x00\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'a body that does not come',
      'POST /v1/uploads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer TOKEN\r\n' +
        'content-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      /^$/,
    ],
  ])('with %s is cut', async (_label, sent, expected) => {
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    // A reset is the end, too.
    socket.on('error', () => undefined);
    socket.write(sent.replace('TOKEN', own.token));
    await once(socket, 'close');
    expect(answer).toMatch(expected);
  });
});

describe('too many requests', () => {
  const refused = (message: string): object => ({
    status: 429,
    json: { error: { code: 'RateLimited', message } },
  });
  const retryAfter = ({ headers }: { readonly headers: Headers }): number =>
    Number(headers.get('retry-after'));

  it('of one token are refused until it may send again, and those of another token are answered', async () => {
    const own = await startTestGateway(on.fixture, { limits: { requestsPerSecond: 0.1, requestsAtOnce: 3 } });
    const calm = await own.makeToken('calm', ['read']);
    const answers = await Promise.all(Array.from({ length: 6 }, () => own.ask('/v1/uploads/mine')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429]);
    const first = answers.find(({ status }) => status === 429);
    expect(first).toMatchObject(refused('Too many requests.'));
    expect(first && retryAfter(first)).toBe(10);
    expect(await own.ask('/v1/uploads/mine', { token: calm })).toMatchObject({ status: 200 });
    await own.stop();
  });

  it('that guess tokens are refused, and good ones are answered', async () => {
    const own = await startTestGateway(on.fixture, {
      limits: { requestsAtOnce: 2, requestsPerSecond: 0.01 },
    });
    const guess = () => own.ask('/v1/uploads/mine', { token: `mst_${Math.random()}` });
    expect([await guess(), await guess()].map(({ status }) => status)).toEqual([401, 401]);
    const third = await guess();
    expect(third).toMatchObject(refused('Too many requests.'));
    expect(retryAfter(third)).toBeGreaterThan(90);
    expect(await own.ask('/v1/uploads/mine')).toMatchObject({ status: 200 });
    await own.stop();
  });

  it('that wait for an end are refused, other requests are answered, and a client that goes makes room', async () => {
    const own = await startTestGateway(on.fixture, { limits: { openWaits: 2 } });
    const body = { source: '/film.mp4', sourceHost: 'nowhere', ingestKey: 'never' };
    const { json } = await own.ask('/v1/uploads', { body });
    const warning = { message: expect.stringContaining('No worker serves'), hint: expect.any(String) };
    expect(json).toMatchObject({ warnings: [warning] });
    const goes = new AbortController();
    const wait = (more: Asking = {}) => own.ask('/v1/uploads/never?wait=60', more);
    const waits = [wait({ signal: goes.signal }), wait({ signal: goes.signal })].map((open) =>
      open.catch(() => 'gone'),
    );
    // Until both wait.
    const third = await own.askUntil('/v1/uploads/never?wait=1', ({ status }) => status === 429);
    expect(third).toMatchObject(refused('The gateway answers as many requests as it can.'));
    expect(retryAfter(third)).toBe(1);
    expect(await own.ask('/v1/uploads/never')).toMatchObject({
      status: 200,
      json: { status: 'RUNNING', waitReason: { code: 'NoWorker', ...warning } },
    });
    goes.abort();
    expect(await Promise.all(waits)).toEqual(['gone', 'gone']);
    await own.askUntil('/v1/uploads/never?wait=1', ({ status }) => status === 200);
    await own.ask('/v1/uploads/never/cancel', { method: 'POST' });
    await own.stop();
  });
});

it('a gateway with a certificate answers https, and nothing else', async () => {
  const { cert, key } = await makeCertificate();
  const { folder } = on.fixture;
  const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(tls.certFile, cert);
  await writeFile(tls.keyFile, key);
  const own = await startTestGateway(on.fixture, { tls });
  expect(own.url).toMatch(/^https:/);
  const [response] = (await once(request(`${own.url}/healthz`, { ca: cert }), 'response')) as [
    IncomingMessage,
  ];
  expect([response.statusCode, await text(response)]).toEqual([200, '{"ok":true}']);
  await expect(own.ask('/healthz')).rejects.toThrow('fetch failed');
  await expect(fetch(own.url.replace('https', 'http'))).rejects.toThrow('fetch failed');
  await own.stop();
  const wrong = startTestGateway(on.fixture, { tls: { ...tls, keyFile: tls.certFile } });
  await expect(wrong).rejects.toMatchObject({ code: 'Configuration' });
});

describe('a gateway without tokens', () => {
  const admissionAt = (host: string, count = 1): Admission => {
    const accounts = [...on.fixture.config.accounts, { account: other.account }].slice(0, count);
    return createAdmission({ ...on.fixture.config, listen: { host, port: 0 }, accounts });
  };

  it.each([
    ['an address of the network', '10.0.0.7', 1, /Other machines could reach 10\.0\.0\.7/],
    ['all addresses', '*', 1, /Other machines could reach/],
    ['two accounts', '127.0.0.1', 2, /which of 2 accounts/],
  ])('refuses to start with %s', (_label, host, accounts, message) => {
    expect(() => admissionAt(host, accounts)).toThrow(message);
  });

  it('answers programs on this machine, but no web page in a browser on it', async () => {
    const admission = admissionAt('127.0.0.1');
    const route = { right: 'read' } as const;
    const ask = (headers: Readonly<Record<string, string>>) =>
      admission.admit({ headers, ip: '127.0.0.1', query: {} }, route);
    await expect(ask({ host: 'localhost:8090' })).resolves.toMatchObject({
      caller: { accountId: on.fixture.accountId },
    });
    await expect(ask({ host: '[::1]:8090' })).resolves.toBeDefined();
    for (const headers of [
      { host: 'evil.example:8090' },
      { host: '127.0.0.1.evil.example' },
      { host: 'localhost:8090', origin: 'https://evil.example' },
      { host: 'localhost:8090', origin: 'null' },
      { host: 'localhost:8090', 'sec-fetch-site': 'cross-site' },
    ]) {
      await expect(ask(headers)).rejects.toMatchObject({ status: 403 });
    }
  });
});
