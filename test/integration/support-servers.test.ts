import { expect, test } from '@jest/globals';
import { createTempDir } from '../support/temp-dir';
import { sharedS3, sharedTemporal } from '../support/servers';
import { startTemporalServer } from '../support/temporal-server';
import { Connection } from '@temporalio/client';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

test('the shared Temporal server answers and knows its namespace', async () => {
  const { address, namespace } = sharedTemporal();
  const connection = await Connection.connect({ address });
  const answer = await connection.workflowService.describeNamespace({ namespace });
  await connection.close();
  expect(answer.namespaceInfo?.name).toBe('default');
});

test('the shared S3 server keeps an object byte for byte', async () => {
  const { endpoint, region, accessKey, secretKey } = sharedS3();
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  });
  await client.send(new CreateBucketCommand({ Bucket: 'support-servers' }));
  await client.send(new PutObjectCommand({ Bucket: 'support-servers', Key: 'folder/a', Body: 'bytes' }));
  const object = await client.send(new GetObjectCommand({ Bucket: 'support-servers', Key: 'folder/a' }));
  const text = await object.Body?.transformToString();
  client.destroy();
  expect(text).toBe('bytes');
});

test('a killed Temporal server comes back on its port with what it had stored', async () => {
  const dir = await createTempDir('temporal');
  const dbFile = `${dir.path}/temporal.db`;
  const first = await startTemporalServer({ dbFile });
  const before = await Connection.connect({ address: first.address });
  const namespace = await before.workflowService.describeNamespace({ namespace: 'default' });
  await before.close();
  await first.kill('SIGKILL');

  const second = await startTemporalServer({ dbFile, port: first.port });
  const after = await Connection.connect({ address: second.address });
  const again = await after.workflowService.describeNamespace({ namespace: 'default' });
  await after.close();
  await second.stop();
  await dir.remove();
  expect(second.address).toBe(first.address);
  expect(again.namespaceInfo?.id).toBe(namespace.namespaceInfo?.id);
});
