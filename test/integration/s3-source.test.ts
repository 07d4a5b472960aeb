import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createS3 } from '../../files/s3/s3-client';
import type { S3Objects } from '../../files/s3/s3-client';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { pinSource } from '../../files/sources/read-source';
import type { SourceAccess } from '../../files/sources/source-access';
import type { S3Source } from '../../api/upload/sources/source';
import { useBucket } from '../support/s3-bucket';
import { failureOf } from '../unit/api/upload/failure-of';

const BODY = randomBytes(1_300_000);
const bucket = useBucket();
const opened: S3Objects[] = [];
// The library is loaded with the first request.
beforeAll(() => bucket.put('first.mp4', 'film').then(() => pinSource(accessOf(), sourceOf('first.mp4'))));
afterAll(() => {
  for (const s3 of opened) s3.close();
});

function accessOf(change: Parameters<typeof createS3>[0] = {}): SourceAccess {
  const s3 = createS3({ ...bucket.settings, ...change });
  opened.push(s3);
  return { roots: [], sourceHosts: [], transport: createUndiciTransport(), unseal: String, s3 };
}

function sourceOf(key: string, more: Partial<S3Source> = {}): S3Source {
  return { kind: 's3', bucket: bucket.name, key, ...more };
}

describe('an S3 source', () => {
  test('is pinned by size and ETag, and named after its key', async () => {
    await bucket.put('films/harbour at dawn.mp4', BODY, 'video/mp4');
    const access = accessOf();
    const pinned = await pinSource(access, sourceOf('films/harbour at dawn.mp4'));
    expect(pinned).toEqual({
      source: sourceOf('films/harbour at dawn.mp4'),
      content: { type: 'video/mp4', begins: expect.any(String) },
      bytes: BODY.length,
      fingerprint: `s3;bytes=${BODY.length};etag="${createHash('md5').update(BODY).digest('hex')}"`,
      fileName: 'harbour at dawn.mp4',
      mimeType: 'video/mp4',
    });
  });

  test('is named after its extension if its type says nothing', async () => {
    await bucket.put('clip.mov', 'film');
    expect(await pinSource(accessOf(), sourceOf('clip.mov'))).toMatchObject({ mimeType: 'video/quicktime' });
  });
});

describe("an S3 source that can't be read", () => {
  const endpoint = (): string => bucket.settings.endpoint ?? '';

  test('says that the object does not exist', async () => {
    const failure = await failureOf(pinSource(accessOf(), sourceOf('nowhere.mp4')));
    expect(failure.code).toBe('SourceMissing');
    expect(failure.message).toBe(`s3://${bucket.name}/nowhere.mp4 does not exist (S3 at ${endpoint()})`);
  });

  test('says that the bucket does not exist', async () => {
    const source: S3Source = { kind: 's3', bucket: 'no-such-bucket-anywhere', key: 'clip.mp4' };
    const failure = await failureOf(pinSource(accessOf(), source));
    expect(failure.code).toBe('SourceMissing');
    expect(failure.message).toBe(`the bucket no-such-bucket-anywhere does not exist (S3 at ${endpoint()})`);
  });

  test.each([
    ['secret key', { AWS_SECRET_ACCESS_KEY: 'wrong-canary' }, 'SignatureDoesNotMatch'],
    ['access key', { AWS_ACCESS_KEY_ID: 'unknown' }, 'XAdminUserNotFound'],
  ])('says that a wrong %s is not accepted, and by whom', async (_what, env, code) => {
    const before = { ...process.env };
    Object.assign(process.env, env);
    try {
      const failure = await failureOf(pinSource(accessOf(), sourceOf('clip.mov')));
      expect(failure.code).toBe('Configuration');
      expect(failure.message).toBe(`S3 at ${endpoint()} does not accept the credentials (${code})`);
      expect(failure.facts.hint).toContain('{s3Credentials}');
      expect(JSON.stringify([failure.message, failure.facts, failure.stack])).not.toContain('canary');
    } finally {
      Object.assign(process.env, before);
    }
  });

  test('says that the bucket is not allowed, before anything is sent', async () => {
    const failure = await failureOf(pinSource(accessOf({ buckets: ['incoming'] }), sourceOf('clip.mov')));
    expect(failure.code).toBe('SourceNotAllowed');
    expect(failure.facts.hint).toContain('{s3Buckets}');
  });
});
