import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from '@jest/globals';
import { judgeUrl, signUrl } from '../../../../simulator/storage/url-signature';

const key = { accessKey: 'access', secretKey: 'se/cret+key', region: 'eu-west-1' };
const now = Date.parse('2026-11-21T10:00:00.400Z');

/** The reference: the presigner of AWS. */
function awsUrl(keyName: string, signedAt: number): Promise<string> {
  const client = new S3Client({
    endpoint: 'http://127.0.0.1:4102',
    region: key.region,
    credentials: { accessKeyId: key.accessKey, secretAccessKey: key.secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const command = new UploadPartCommand({ Bucket: 'bucket', Key: keyName, UploadId: 'u+/=', PartNumber: 7 });
  return getSignedUrl(client, command, { expiresIn: 60, signingDate: new Date(signedAt) });
}

function judged(url: string, at: number, headers: Record<string, string> = {}): string | undefined {
  const { pathname, search, host } = new URL(url);
  return judgeUrl({ method: 'PUT', target: pathname + search, headers: { host, ...headers } }, key, at)
    ?.message;
}

test.each(['plain.mp4', 'folder/ü (1)+!*.mp4'])(
  'a URL of the AWS presigner for %j is accepted',
  async (keyName) => {
    expect(judged(await awsUrl(keyName, now), now)).toBeUndefined();
  },
);

test('our own URL is accepted until it expires, to the millisecond', () => {
  const url = signUrl(
    {
      origin: 'http://127.0.0.1:4102',
      path: '/bucket/a.mp4',
      query: { partNumber: '1' },
      headers: {},
      now,
      lifeSeconds: 60,
    },
    key,
  );
  const signedAt = Math.floor(now / 1000) * 1000;
  expect(judged(url, signedAt + 59_999)).toBeUndefined();
  expect(judged(url, signedAt + 60_000)).toBe('Request has expired');
});

test('a signed Content-Type must be sent as it was signed', () => {
  const url = signUrl(
    {
      origin: 'http://127.0.0.1:4102',
      path: '/bucket/a.mp4',
      query: {},
      headers: { 'content-type': 'video/mp4' },
      now,
      lifeSeconds: 60,
    },
    key,
  );
  expect(url).toContain('X-Amz-SignedHeaders=content-type%3Bhost');
  expect(judged(url, now, { 'content-type': 'video/mp4' })).toBeUndefined();
  expect(judged(url, now, { 'content-type': 'application/octet-stream' })).toMatch(/does not match/);
});
