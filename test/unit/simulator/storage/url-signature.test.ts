import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { judgeUrl } from '../../../../simulator/storage/url-signature';

const key = { accessKey: 'access', secretKey: 'se/cret+key', region: 'eu-west-1' };
const now = Date.parse('2026-11-21T10:00:00.400Z');

/** The reference: the presigner of AWS. */
function awsUrl(keyName: string): Promise<string> {
  const client = new S3Client({
    endpoint: 'http://127.0.0.1:4102',
    region: key.region,
    credentials: { accessKeyId: key.accessKey, secretAccessKey: key.secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const command = new UploadPartCommand({ Bucket: 'bucket', Key: keyName, UploadId: 'u+/=', PartNumber: 7 });
  return getSignedUrl(client, command, { expiresIn: 60, signingDate: new Date(now) });
}

test.each(['plain.mp4', 'folder/ü (1)+!*.mp4'])(
  'a URL of the AWS presigner for %j is accepted',
  async (keyName) => {
    const { pathname, search, host } = new URL(await awsUrl(keyName));
    const request = { method: 'PUT', url: pathname + search, headers: { host } };
    expect(judgeUrl(request, key, now)).toBeUndefined();
  },
);
