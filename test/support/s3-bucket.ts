import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { useCredentials } from './aws-credentials';
import { sharedS3 } from './servers';

/** A client of `sharedS3`; the caller destroys it. */
export function sharedS3Client(): S3Client {
  const { endpoint, region, accessKey: accessKeyId, secretKey: secretAccessKey } = sharedS3();
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
}

/**
 * A bucket of the shared S3 server for all tests of a file. Its credentials are in the environment meanwhile, where the
 * default chain finds them.
 */
export function useBucket() {
  const { endpoint, accessKey, secretKey, region } = sharedS3();
  const name = `sources-${randomBytes(6).toString('hex')}`;
  const client = sharedS3Client();
  useCredentials(accessKey, secretKey);
  beforeAll(async () => {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  });
  afterAll(() => client.destroy());
  return {
    name,
    settings: { endpoint, region },
    async put(key: string, body: Buffer | string, contentType?: string): Promise<void> {
      const type = contentType === undefined ? {} : { ContentType: contentType };
      await client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: Buffer.from(body), ...type }));
    },
  };
}
