import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Simulator } from '../../simulator/simulator';
import { startSimulator } from '../../simulator/start-simulator';
import { sharedS3 } from '../support/servers';
import { BareClient, eTagOf, put, record } from '../unit/simulator/bare-client';

const PARTS = [randomBytes(5 * 1024 * 1024), randomBytes(1000)];
const WHOLE = Buffer.concat(PARTS);

async function withS3(
  faults: readonly string[],
  act: (simulator: Simulator) => Promise<void>,
): Promise<void> {
  const s3 = { ...sharedS3(), bucket: 'storage-probe-session' };
  const simulator = await startSimulator({
    storage: 's3',
    s3,
    faults,
    processingMs: 0,
    seed: { media: 0, deliveries: 0 },
  });
  try {
    await act(simulator);
  } finally {
    await simulator.close();
  }
}

test('over S3 a session completes the real multipart upload, despite lost, reset and refused parts', () =>
  withS3(['put-503:part=1', 'put-reset:part=1', 'put-lost:part=2', 'hold:part=2'], async (simulator) => {
    const client = new BareClient(simulator);
    const { uploadId, urls } = await client.started(2);
    for (const url of urls) expect(new URL(url).origin).toBe(simulator.storageUrl);
    expect((await put(urls[0], PARTS[0] ?? WHOLE)).status).toBe(503);
    await expect(put(urls[0], PARTS[0] ?? WHOLE)).rejects.toThrow('fetch failed');
    const lost = put(urls[1], PARTS[1] ?? WHOLE).catch((error: unknown) => error);
    await simulator.waitFor(({ event }) => event === 'held');
    expect(simulator.release()).toBe(1);
    expect(await lost).toMatchObject({ message: 'fetch failed' });
    const replies = await Promise.all(PARTS.map((bytes, at) => put(urls[at], bytes)));
    expect((await client.complete(uploadId, replies.map(eTagOf))).status).toBe(202);
    expect(await simulator.waitFor(({ event }) => event === 'session-ended')).toMatchObject({
      reason: 'COMPLETED',
    });
    const [session] = simulator.seen().sessions;
    expect(session?.parts.map(({ puts }) => puts)).toEqual([1, 2]);
    expect(await simulator.objectBytes(session?.keyName ?? '')).toBe(WHOLE.length);
    expect(await simulator.objectSha256(session?.keyName ?? '')).toBe(
      createHash('sha256').update(WHOLE).digest('hex'),
    );
  }));

test('over S3 expired URLs are refused, and fresh ones of the same second are accepted', () =>
  withS3([], async (simulator) => {
    const client = new BareClient(simulator);
    const { uploadId, urls } = await client.started(1);
    simulator.expireUrls();
    expect((await put(urls[0], WHOLE)).text).toContain('Request has expired');
    const fresh = record(await client.call('GET', `${simulator.uploadUrl}/upload/${uploadId}/url/1`));
    expect((await put(JSON.stringify(fresh['presignedUrl']).slice(1, -1), WHOLE)).status).toBe(200);
  }));

test('an unreachable S3 server is named, and nothing stays open', async () => {
  const s3 = { endpoint: 'http://127.0.0.1:9', accessKey: 'a', secretKey: 'b' };
  await expect(startSimulator({ storage: 's3', s3 })).rejects.toThrow(
    'The S3 server at http://127.0.0.1:9 does not answer (ECONNREFUSED).',
  );
});

test.each([{ accessKey: 'nobody' }, { secretKey: 'hunter2' }])(
  'an S3 server that refuses %o is named without the key',
  async (wrong) => {
    const { endpoint, accessKey, secretKey } = sharedS3();
    const s3 = { endpoint, accessKey, secretKey, ...wrong };
    await expect(startSimulator({ storage: 's3', s3 })).rejects.toThrow(
      /^The S3 server at \S+ refuses the keys for the bucket media-service \(\w+\)\.$/,
    );
  },
);
