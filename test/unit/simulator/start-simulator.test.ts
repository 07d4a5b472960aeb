import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { startSimulator } from '../../../simulator/start-simulator';
import { until } from '../../support/until';
import { BareClient, eTagOf, put, record, textAt, withSimulator } from './bare-client';

const MIB = 1024 * 1024;
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

test('a file in two parts goes from start to COMPLETED, with identical bytes in storage, and is found by its tag', () =>
  withSimulator({}, async (simulator, client) => {
    const parts = [randomBytes(5 * MIB), randomBytes(100)];
    const tags = { ingestKey: 'key-1', 'a b': 'ü' };
    const media = { fileType: 'MP4', title: 'Tour 1/2 ü', creator: 'Ada', tags };
    const started = record(
      await client.start({ amountOfParts: 2, media, metadata: { a: [1, { b: null }] } }),
    );
    const uploadId = textAt(started, 'uploadId');
    expect(record(await client.session(uploadId))).toMatchObject({
      uploadId,
      mediaId: started['mediaId'],
      status: 'INITIALIZED',
      bucketName: 'media-service',
      creator: 'Ada',
      parts: [],
      failureReason: null,
      sanitizedTitle: 'Tour_1_2__',
    });
    const eTags: string[] = [];
    const urls = (Array.isArray(started['presignedUrls']) ? started['presignedUrls'] : []).map(
      (url) => /"presignedUrl":"([^"]+)"/.exec(JSON.stringify(url))?.[1],
    );
    for (const [at, bytes] of parts.entries()) {
      const reply = await put(urls[at], bytes);
      expect(reply.status).toBe(200);
      expect(eTagOf(reply)).toBe(md5(bytes));
      eTags.push(eTagOf(reply));
      expect(record(await client.session(uploadId))['status']).toBe('PARTIAL');
    }
    const accepted = await client.complete(uploadId, eTags);
    expect(accepted.status).toBe(202);
    expect(record(accepted)['status']).toBe('PENDING_COMPLETE');
    await simulator.waitFor(({ event }) => event === 'session-ended');
    const session = record(await client.session(uploadId));
    expect(session['status']).toBe('COMPLETED');
    expect(session['parts']).toEqual(eTags.map((eTag, at) => ({ partNumber: at + 1, eTag })));
    const whole = Buffer.concat(parts);
    const keyName = textAt(session, 'keyName');
    expect(await simulator.objectSha256(keyName)).toBe(createHash('sha256').update(whole).digest('hex'));
    const found = record(await client.search({ tags: { ingestKey: 'key-1' } }));
    expect(found).toMatchObject({
      totalElements: 1,
      content: [{ id: started['mediaId'], isActive: true, tags }],
    });
    expect(simulator.seen()).toMatchObject({
      starts: 1,
      completesAccepted: 1,
      bearerToStorage: [],
      requests: { put: 2 },
    });
    expect((await client.complete(uploadId, eTags)).status).toBe(400);
    expect(simulator.seen().sessions[0]).toMatchObject({ completesAccepted: 1, completesRefused: 1 });
  }));

test('every n-th call of the service is slow, and the others overtake it', async () => {
  const taken: number[] = [];
  const simulator = await startSimulator({
    slowEvery: 3,
    latencyMs: 20,
    seed: { media: 1, deliveries: 1 },
    takeTime: async (ms, signal) => {
      taken.push(ms);
      if (ms > 10_000) await once(signal, 'abort');
    },
  });
  const client = new BareClient(simulator);
  const answered: string[] = [];
  const search = (name: string): Promise<void> =>
    client.search().then(
      () => void answered.push(name),
      () => undefined,
    );
  // The first call is the login.
  await search('second');
  const third = search('third');
  await until('the third call has begun', () => taken.length === 3);
  await search('fourth');
  expect(answered).toEqual(['second', 'fourth']);
  expect(taken).toEqual([20, 20, 10_020, 20]);
  await simulator.close();
  await third;
});

test('closing ends waiting connections and removes the temporary folder', async () => {
  const folders = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith('media-service-simulator-'));
  const before = folders();
  const simulator = await startSimulator({ faults: ['search-timeout'], seed: { media: 1, deliveries: 1 } });
  const client = new BareClient(simulator);
  // Our folder, and those of other tests that began at the same time.
  const begun = folders().filter((name) => !before.includes(name));
  const waiting = client.search().catch((error: unknown) => error);
  await simulator.waitFor(({ event }) => event === 'fault');
  await simulator.close();
  expect(await waiting).toMatchObject({ message: 'fetch failed' });
  expect(begun.filter((name) => !existsSync(`${tmpdir()}/${name}`))).not.toEqual([]);
});

test('a port that is in use is an error, and everything opened before is closed', async () => {
  await withSimulator({}, async ({ baseUrl }) => {
    const port = Number(new URL(baseUrl).port);
    await expect(startSimulator({ port: port - 2 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

test.each([
  ['an unknown fault', { faults: ['no-such-fault'] }, /no fault named "no-such-fault"/],
  ['an unknown shape', { shapes: ['no-such-shape'] }, /no shape named "no-such-shape"/],
  [
    'two shapes of a group',
    { shapes: ['urls-map', 'urls-strings'] },
    /exclude each other: urls-map, urls-strings/,
  ],
  ['storage s3 without an endpoint', { storage: 's3' as const }, /needs the option s3/],
])('%s is refused at the start', async (_, options, message) => {
  await expect(startSimulator(options)).rejects.toThrow(message);
});
