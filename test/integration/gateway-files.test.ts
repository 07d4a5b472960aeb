import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { type Account, accountId } from '../../api/account';
import { DAY_MS, HOUR_MS, systemClock } from '../../api/clock';
import type { GatewayConfig } from '../../gateway/gateway-config';
import { startTestGateway } from '../support/gateway-fixture';
import type { Asking, GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { nextHeld } from '../support/held';
import { sharedS3Client, useBucket } from '../support/s3-bucket';
import { until } from '../support/until';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
const bucket = useBucket();
const film = randomBytes(3_000_000);
const sha256 = createHash('sha256').update(film).digest('hex');
const PREFIX = 'sent/by-clients';

let s3: S3Client;
let spoolDir: string;
const gateways: TestGateway[] = [];

beforeAll(async () => {
  const { fixture } = on;
  s3 = sharedS3Client();
  spoolDir = join(fixture.folder, 'spool');
  await mkdir(spoolDir);
  await fixture.startWorker({ spoolDir, s3: bucket.settings });
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop();
  s3.destroy();
});

const locations = {
  disk: (): Partial<GatewayConfig> => {
    const { host, roots } = on.fixture.config;
    return { worker: { host, roots, outputRoots: [], spoolDir } };
  },
  S3: (): Partial<GatewayConfig> => ({ sentFiles: { kind: 's3', bucket: bucket.name, key: PREFIX } }),
};
type At = keyof typeof locations;
const otherAccount = (): Account => ({ ...on.fixture.account, externalId: 'other-studio' });

/** `S3` is a gateway alone. `ageMs`: its clock is that late. */
async function openGateway(at: At, change: Partial<GatewayConfig> = {}, ageMs = 0): Promise<TestGateway> {
  const accounts = [...on.fixture.config.accounts, { account: otherAccount() }];
  const clock = { ...systemClock, now: () => systemClock.now() - ageMs };
  const settings = { accounts, s3: bucket.settings, worker: undefined as never };
  const gateway = await startTestGateway(on.fixture, { ...settings, ...locations[at](), ...change }, clock);
  gateways.push(gateway);
  return gateway;
}

const send = (
  gateway: TestGateway,
  asking: Asking & { readonly fileName?: string } = {},
): Promise<GatewayAnswer> => {
  const { fileName = 'film.mp4', ...rest } = asking;
  return gateway.ask(`/v1/files?fileName=${encodeURIComponent(fileName)}`, {
    ...{ body: film, headers: { 'content-type': 'video/mp4' } },
    ...rest,
  });
};

const kept = {
  disk: async (): Promise<readonly string[]> =>
    (await readdir(spoolDir)).filter((name) => !name.endsWith('.claimed')),
  S3: async (): Promise<readonly string[]> => {
    const [{ Contents = [] }, { Uploads = [] }] = await Promise.all([
      s3.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: PREFIX })),
      s3.send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: PREFIX })),
    ]);
    return [...Contents, ...Uploads].map(({ Key = '' }) => Key).filter((key) => !key.endsWith('.claimed'));
  },
};
const untilNothingIsKept = (at: At): Promise<unknown> =>
  until('nothing is kept', kept[at], (names) => names.length === 0);

const start = (gateway: TestGateway, source: unknown, more: object = {}): Promise<GatewayAnswer> =>
  gateway.ask('/v1/uploads', {
    body: { source, ingestKey: `key-${randomBytes(4).toString('hex')}`, ...more },
  });
const ended = (gateway: TestGateway, id: unknown): Promise<GatewayAnswer> =>
  gateway.ask(`/v1/uploads/${encodeURIComponent(String(id))}?wait=60`);

describe.each(['disk', 'S3'] as const)('a file that is sent and kept (%s)', (at) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openGateway(at);
  });

  it('is uploaded under its own name, and removed when its upload has ended', async () => {
    const before = Date.now();
    const sent = await send(gateway, { fileName: 'Küche № 1.mp4' });
    expect(sent).toMatchObject({
      status: 201,
      json: {
        fileName: 'Küche № 1.mp4',
        bytes: film.length,
        sha256,
        source: expect.stringMatching(/^kept:/),
      },
    });
    expect(Date.parse(String(sent.json['expiresAt'])) - before).toBeGreaterThanOrEqual(DAY_MS);
    expect(await kept[at]()).toHaveLength(1);
    const started = await start(gateway, sent.json['source'], { ingestKey: `own-name-${at}` });
    expect(started).toMatchObject({ status: 201, json: { joined: false, warnings: [] } });
    const { json } = await ended(gateway, started.json['id']);
    expect(json).toMatchObject({
      status: 'COMPLETED',
      result: { bytes: film.length, fileName: 'Küche № 1.mp4' },
    });
    if (at === 'disk') expect(json['name']).toBe('Küche № 1.mp4');
    const session = on.fixture.session(String(json['uploadId']));
    expect(await on.fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
    await untilNothingIsKept(at);
    // A start whose answer was lost is repeated.
    expect(await start(gateway, sent.json['source'], { ingestKey: `own-name-${at}` })).toMatchObject({
      status: 200,
      json: { id: started.json['id'], joined: true },
    });
  });

  it('is uploaded once if two starts without a key come at the same time', async () => {
    const held = hold();
    const { json } = await send(gateway);
    const body = { source: json['source'], media: { title: `Two starts, ${at}` }, options: HELD_OPTIONS };
    const both = await Promise.all([1, 2].map(() => gateway.ask('/v1/uploads', { body })));
    expect(both.map(({ json: { joined } }) => joined).sort()).toEqual([false, true]);
    expect(new Set(both.map(({ json: { id } }) => id)).size).toBe(1);
    expect(await kept[at]()).toHaveLength(1);
    await held;
    on.fixture.simulator.release();
    expect(await ended(gateway, both[0]?.json['id'])).toMatchObject({ json: { status: 'COMPLETED' } });
    await untilNothingIsKept(at);
  });

  it('is removed after a day if no upload began, and stays for one that did', async () => {
    const held = hold();
    const yesterday = await openGateway(at, {}, 25 * HOUR_MS);
    const [unused, used] = [await send(yesterday), await send(yesterday)];
    const { json } = await start(yesterday, used.json['source'], { options: HELD_OPTIONS });
    await held;
    const today = await openGateway(at);
    await until('one is left', kept[at], (names) => names.length === 1);
    const late = await start(today, unused.json['source']);
    expect(await ended(today, late.json['id'])).toMatchObject({
      json: { status: 'FAILED', error: { code: 'SourceMissing' } },
    });
    on.fixture.simulator.release();
    expect(await ended(today, json['id'])).toMatchObject({ json: { status: 'COMPLETED' } });
    await untilNothingIsKept(at);
  });

  it('leaves nothing if its stream breaks off', async () => {
    const socket = request(gateway, 'content-length: 50000000\r\n');
    for (let sent = 0; sent < 6; sent += 1) socket.write(film);
    await until('it is being written', kept[at], (names) => names.length > 0);
    socket.destroy();
    await untilNothingIsKept(at);
  });
});

/** Holds the next part. Resolves once it is held. */
function hold(): Promise<unknown> {
  const held = nextHeld(on.fixture.simulator);
  on.fixture.simulator.fault('hold:part=1');
  return held();
}

const HELD_OPTIONS = { stallMs: HELD.stallMs };

function request({ url, token }: TestGateway, headers: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/files?fileName=a.mp4 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${headers}\r\n`,
  );
  return socket;
}

describe('a file is refused, and nothing of it is kept', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openGateway('disk');
  });

  it.each<[string, Asking & { fileName?: string }, number, string]>([
    ['a path as its name', { fileName: '../../etc/passwd' }, 400, 'without folders'],
    ['a path of Windows', { fileName: 'C:\\film.mp4' }, 400, 'without folders'],
    ['NUL in its name', { fileName: 'film.mp4\0.txt' }, 400, 'without folders'],
    ['no name', { fileName: '' }, 400, 'fileName'],
    ['a long name', { fileName: 'x'.repeat(201) }, 400, 'fileName'],
    ['no bytes', { body: '' }, 400, 'no bytes'],
    ['no body', { body: undefined, method: 'POST', headers: {} }, 400, 'no bytes'],
    ['a form', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 415, 'curl -T'],
    ['compressed', { headers: { 'content-encoding': 'gzip' } }, 415, 'not compressed'],
  ])('%s', async (_label, asking, status, says) => {
    const { status: answered, text } = await send(gateway, asking);
    expect([answered, text]).toEqual([status, expect.stringContaining(says)]);
    expect(await kept.disk()).toEqual([]);
  });

  it.each([['with its length'], ['in chunks']])('before the disk is full (%s)', async (how) => {
    const full = await openGateway('disk', { limits: { freeBytes: 1e18 } });
    const body = how === 'in chunks' ? new Blob([film]).stream() : film;
    expect(await send(full, { body })).toMatchObject({
      status: 507,
      json: { error: { code: 'SourceUnavailable', hint: expect.stringContaining('free some space') } },
    });
    expect(await kept.disk()).toEqual([]);
  });

  it('when nothing comes for some time', async () => {
    const impatient = await openGateway('disk', { limits: { idleMs: 200 } });
    const socket = request(impatient, 'content-length: 9\r\n');
    socket.write('half');
    await once(socket.resume(), 'close');
    await untilNothingIsKept('disk');
  });

  it('by a gateway alone without a location in S3', async () => {
    const alone = await openGateway('S3', { sentFiles: undefined as never });
    expect(await send(alone)).toMatchObject({
      status: 409,
      json: { error: { hint: expect.stringContaining('--http-files s3://') } },
    });
  });
});

it('the file of one account is none for another, and a changed name of a file is refused', async () => {
  const gateway = await openGateway('disk');
  const token = await gateway.makeToken('other', ['start'], accountId(otherAccount()));
  const { json } = await send(gateway);
  const source = String(json['source']);
  expect(source).not.toMatch(/film|spool|\//);
  for (const [text, who] of [
    [source, token],
    [`${source.slice(0, -2)}AA`, gateway.token],
    ['kept:', gateway.token],
    [`kept:${Buffer.from('{"kind":"path","path":"/etc/passwd"}').toString('base64url')}`, gateway.token],
  ] as const) {
    const answer = await gateway.ask('/v1/uploads', { body: { source: text }, token: who });
    expect(answer).toMatchObject({ status: 400, json: { error: { field: 'source' } } });
  }
  expect(await gateway.ask('/v1/batches', { body: { manifest: source } })).toMatchObject({ status: 400 });
});
