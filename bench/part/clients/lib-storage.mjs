import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import https from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { runJob } from './job.mjs';

await runJob(async (job) => {
  const agent = job.ca
    ? { httpsAgent: new https.Agent({ ca: await readFile(job.ca), keepAlive: true }) }
    : {};
  const client = new S3Client({
    endpoint: job.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: job.accessKey, secretAccessKey: job.secretKey },
    requestHandler: agent,
  });
  let completeMs = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const begun = performance.now();
      const answer = await next(args);
      if (context.commandName === 'CompleteMultipartUploadCommand') completeMs = performance.now() - begun;
      return answer;
    },
    { step: 'initialize' },
  );
  const begun = performance.now();
  const upload = new Upload({
    client,
    params: {
      Bucket: job.bucket,
      Key: job.key,
      Body: createReadStream(job.file, { highWaterMark: 1024 * 1024 }),
    },
    partSize: job.partBytes,
    queueSize: job.concurrency,
  });
  await upload.done();
  const ms = performance.now() - begun - completeMs;
  client.destroy();
  return { ms };
});
