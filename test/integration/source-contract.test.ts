import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createS3 } from '../../files/s3/s3-client';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { openSource, pinSource } from '../../files/sources/read-source';
import type { SourceAccess } from '../../files/sources/source-access';
import { planParts } from '../../api/upload/plan-parts';
import type { PinnedSource, SourceDescriptor } from '../../api/upload/sources/source';
import { fileNameOfSource } from '../../api/upload/sources/source-rules';
import { bytesOf } from '../support/bytes-of';
import { serveFile } from '../support/range-server';
import type { RangeServer } from '../support/range-server';
import { useBucket } from '../support/s3-bucket';
import { useTempDir } from '../support/use-temp-dir';
import { failureOf } from '../unit/api/upload/failure-of';

const BODY = Buffer.from(Array.from({ length: 700_001 }, (_none, index) => index % 251));
const OTHER = Buffer.alloc(BODY.length + 1, 'other');

const bucket = useBucket();
const s3 = createS3(bucket.settings);
const transport = createUndiciTransport();
const servers: RangeServer[] = [];
const folder = useTempDir('contract');
let access: SourceAccess;
beforeAll(async () => {
  access = { roots: [folder.path], sourceHosts: ['127.0.0.1'], transport, unseal: String, s3 };
  await bucket.put('first', 'x');
  await pinSource(access, { kind: 's3', bucket: bucket.name, key: 'first' });
});
afterAll(async () => {
  s3.close();
  await transport.close();
  await Promise.all(servers.map((server) => server.close()));
});

interface Kind {
  /** Writes the content to the source, and replaces an existing one. */
  put(name: string, content: Buffer): Promise<void>;
  source(name: string): Promise<SourceDescriptor>;
  missing(): Promise<SourceDescriptor>;
}

const inFolder = (name: string): string => join(folder.path, name);

const KINDS: Record<SourceDescriptor['kind'], Kind> = {
  path: {
    put: (name, content) => writeFile(inFolder(name), content),
    source: async (name) => ({ kind: 'path', path: inFolder(name) }),
    missing: async () => ({ kind: 'path', path: inFolder('none.mp4') }),
  },
  http: {
    put: (name, content) => writeFile(inFolder(name), content),
    async source(name) {
      const server = await serveFile(inFolder(name));
      servers.push(server);
      return { kind: 'http', url: server.url, label: 'the label' };
    },
    missing: async () => ({
      kind: 'http',
      url: `${bucket.settings.endpoint}/none`,
      label: 'the label',
    }),
  },
  s3: {
    put: (name, content) => bucket.put(name, content),
    source: async (name) => ({ kind: 's3', bucket: bucket.name, key: name }),
    missing: async () => ({ kind: 's3', bucket: bucket.name, key: 'none.mp4' }),
  },
};

async function pinned(kind: Kind, name: string): Promise<PinnedSource> {
  await kind.put(name, BODY);
  return pinSource(access, await kind.source(name));
}

const read = (pin: PinnedSource, ...range: [number, number]): Promise<Buffer> =>
  bytesOf(openSource(access, pin).read(...range));

describe.each(Object.entries(KINDS))('a source of the kind %s', (name, kind) => {
  test('knows its size and name, and gives the same text when it is pinned again', async () => {
    const pin = await pinned(kind, `${name}-pin.mp4`);
    expect(pin).toMatchObject({ bytes: BODY.length, fileName: `${name}-pin.mp4` });
    expect(fileNameOfSource(pin.source)).toBe(`${name}-pin.mp4`);
    expect((await pinSource(access, pin.source)).fingerprint).toBe(pin.fingerprint);
  });

  test('returns exactly the bytes of each range, several at once', async () => {
    const pin = await pinned(kind, `${name}-ranges.mp4`);
    const ranges = [
      [0, BODY.length],
      [0, 1],
      [BODY.length - 1, 1],
      [300_000, 123_456],
    ] as const;
    const same = ranges.map(async ([offset, length]) =>
      (await read(pin, offset, length)).equals(BODY.subarray(offset, offset + length)),
    );
    expect(await Promise.all(same)).toEqual([true, true, true, true]);
  });

  test('returns no range after it changed since its pin', async () => {
    const pin = await pinned(kind, `${name}-changed.mp4`);
    await kind.put(`${name}-changed.mp4`, OTHER);
    expect((await failureOf(read(pin, 0, 10))).code).toBe('SourceChanged');
  });

  test('ends with the reason of its signal', async () => {
    const pin = await pinned(kind, `${name}-stopped.mp4`);
    const reason = new Error('enough');
    const stopping = new AbortController();
    stopping.abort(reason);
    const reading = openSource(access, pin).read(0, 10, stopping.signal)[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toBe(reason);
  });

  test('is reported as missing if it does not exist', async () => {
    expect((await failureOf(pinSource(access, await kind.missing()))).facts.field).toBe('source');
  });

  test('is pinned without bytes, which no plan accepts, if it is empty', async () => {
    await kind.put(`${name}-empty.mp4`, Buffer.alloc(0));
    const source = await kind.source(`${name}-empty.mp4`);
    const { bytes } = await pinSource({ ...access, spoolDir: inFolder('spool') }, source);
    expect(bytes).toBe(0);
    expect(() => planParts({ bytes })).toThrow('the source is empty');
  });
});

test('a source in S3 is pinned by size and ETag, with the type of its object', async () => {
  await bucket.put('harbour at dawn.mp4', BODY, 'video/mp4');
  const source: SourceDescriptor = { kind: 's3', bucket: bucket.name, key: 'harbour at dawn.mp4' };
  expect(await pinSource(access, source)).toEqual({
    source,
    content: { type: 'video/mp4', begins: expect.any(String) },
    bytes: BODY.length,
    fingerprint: `s3;bytes=${BODY.length};etag="${createHash('md5').update(BODY).digest('hex')}"`,
    fileName: 'harbour at dawn.mp4',
    mimeType: 'video/mp4',
  });
});
