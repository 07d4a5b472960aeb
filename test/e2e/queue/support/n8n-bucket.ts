import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { IBinaryData } from 'n8n-workflow';
import { sharedS3Client } from '../../../support/s3-bucket';
import { sharedS3 } from '../../../support/servers';
import { randomBytesOf } from '../../../support/source-file';

const BUCKET = 'n8n-binary-data';
const PART_BYTES = 32 * 1024 * 1024;
const MIME_TYPE = 'video/mp4';

/** Lets n8n read binary data that a licensed n8n has stored in a bucket of the shared S3 server. */
export async function openBucketForN8n(): Promise<Record<string, string>> {
  const { endpoint, region, accessKey, secretKey } = sharedS3();
  const client = sharedS3Client();
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  return {
    N8N_EXTERNAL_STORAGE_S3_HOST: new URL(endpoint).host,
    N8N_EXTERNAL_STORAGE_S3_PROTOCOL: 'http',
    N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME: BUCKET,
    N8N_EXTERNAL_STORAGE_S3_BUCKET_REGION: region,
    N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY: accessKey,
    N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET: secretKey,
  };
}

/** Stores a file of pseudo-random bytes as n8n's S3 mode would for an execution, and returns what n8n would. */
export async function putForN8n(fileName: string, bytes: number): Promise<IBinaryData> {
  const key = `workflows/before/executions/1/binary_data/${randomUUID()}`;
  const client = sharedS3Client();
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
