import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Server } from '../../support/s3-server';

/** A bucket that Temporal's worker reads and writes. */
export interface WorkerBucket {
  /** `s3://bucket` */
  readonly address: string;
  put(key: string, body: Buffer | string): Promise<void>;
  text(key: string): Promise<string>;
  close(): void;
}

export async function openWorkerBucket(s3: S3Server, name: string): Promise<WorkerBucket> {
  const { endpoint, region, accessKey, secretKey } = s3;
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    address: `s3://${name}`,
    async put(key, body) {
      await client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: body }));
    },
    async text(key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
      return (await Body?.transformToString()) ?? '';
    },
    close: () => client.destroy(),
  };
}
