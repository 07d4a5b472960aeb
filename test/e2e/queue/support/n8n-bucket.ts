import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { IBinaryData } from 'n8n-workflow';
import type { S3Server } from '../../../support/s3-server';
import { randomBytesOf } from './random-server';

const BUCKET = 'n8n-binary-data';
const PART_BYTES = 32 * 1024 * 1024;
const MIME_TYPE = 'video/mp4';

/** Lets n8n read binary data that a licensed n8n has stored in this server's bucket. */
export async function openBucketForN8n({
  endpoint,
  region,
  ...keys
}: S3Server): Promise<Record<string, string>> {
  const client = clientOf({ endpoint, region, ...keys });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  return {
    N8N_EXTERNAL_STORAGE_S3_HOST: new URL(endpoint).host,
    N8N_EXTERNAL_STORAGE_S3_PROTOCOL: 'http',
    N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME: BUCKET,
    N8N_EXTERNAL_STORAGE_S3_BUCKET_REGION: region,
    N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY: keys.accessKey,
    N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET: keys.secretKey,
  };
}

/** Stores a file of pseudo-random bytes as n8n's S3 mode would for an execution, and returns what n8n would. */
export async function putForN8n(s3: S3Server, fileName: string, bytes: number): Promise<IBinaryData> {
  const key = `workflows/before/executions/1/binary_data/${randomUUID()}`;
  const client = clientOf(s3);
  const params = {
    Bucket: BUCKET,
    Key: key,
    Body: Readable.from(randomBytesOf(fileName, bytes)),
    ContentType: MIME_TYPE,
    Metadata: { filename: encodeURIComponent(fileName) },
  };
  await new Upload({ client, params, partSize: PART_BYTES }).done();
  client.destroy();
  return { id: `s3:${key}`, data: 's3', mimeType: MIME_TYPE, fileName, bytes };
}

function clientOf({
  endpoint,
  region,
  accessKey,
  secretKey,
}: Pick<S3Server, 'endpoint' | 'region' | 'accessKey' | 'secretKey'>): S3Client {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
}
