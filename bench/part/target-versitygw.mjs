import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ensure } from '../../tools/set-up.mjs';

const BUCKET = 'bench';

/** versitygw with its POSIX backend in its own folder. It verifies signatures and returns MD5 ETags. */
export async function startVersitygw(dir, { tls }) {
  const binary = await ensure('versitygw');
  const root = path.join(dir, tls ? 'tls' : 'plain');
  await mkdir(path.join(root, 'data'), { recursive: true });
  const port = await freePort();
  const certificate = tls ? makeCertificate(root) : undefined;
  const accessKey = randomBytes(8).toString('hex');
  const secretKey = randomBytes(16).toString('hex');
  const child = spawn(
    binary,
    [
      ...['--port', `127.0.0.1:${port}`, '--quiet'],
      ...(certificate ? ['--cert', certificate.cert, '--key', certificate.key] : []),
      ...['posix', path.join(root, 'data')],
    ],
    { stdio: 'ignore', env: { ...process.env, ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey } },
  );
  // Registered at once, because an interrupt can end the process before `stop` is called.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await listening(port);

  const endpoint = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const s3 = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(certificate
      ? {
          requestHandler: { httpsAgent: new https.Agent({ ca: await readFile(certificate.cert) }) },
        }
      : {}),
  });
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const completeMs = [];
  let count = 0;

  return {
    title: `versitygw, ${tls ? 'TLS' : 'plain HTTP'}`,
    isS3: true,
    ...{ endpoint, accessKey, secretKey, bucket: BUCKET },
    medianCompleteMs: () => completeMs.toSorted((a, b) => a - b)[completeMs.length >> 1] ?? 0,
    async begin(parts, client) {
      const object = { Bucket: BUCKET, Key: `file-${++count}` };
      const shared = {
        ca: certificate?.cert,
        endpoint,
        accessKey,
        secretKey,
        bucket: BUCKET,
        key: object.Key,
      };
      if (client.needsS3) {
        const finish = async () => void (await s3.send(new DeleteObjectCommand(object)));
        return { job: shared, finish };
      }
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object));
      const urls = [];
      for (let PartNumber = 1; PartNumber <= parts; PartNumber++)
        urls.push(
          await getSignedUrl(s3, new UploadPartCommand({ ...object, UploadId, PartNumber }), {
            expiresIn: 3600,
          }),
        );
      return {
        job: { ...shared, urls },
        finish: async (eTags) => {
          const Parts = eTags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
          const begun = performance.now();
          await s3.send(
            new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }),
          );
          completeMs.push(performance.now() - begun);
          await s3.send(new DeleteObjectCommand(object));
          return completeMs.at(-1);
        },
      };
    },
    /** Stores a file as an object, and returns its address: `s3` or, pre-signed for an hour, `http`. */
    async store(file, kind) {
      const [Key, { size }] = [path.basename(file), await stat(file)];
      await s3.send(
        new PutObjectCommand({ Bucket: BUCKET, Key, Body: createReadStream(file), ContentLength: size }),
      );
      if (kind === 's3') return `s3://${BUCKET}/${Key}`;
      return getSignedUrl(s3, new GetObjectCommand({ Bucket: BUCKET, Key }), { expiresIn: 3600 });
    },
    stop: async () => {
      s3.destroy();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function makeCertificate(dir) {
  const cert = path.join(dir, 'cert.pem');
  const key = path.join(dir, 'key.pem');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject],
    {
      stdio: 'ignore',
    },
  );
  return { cert, key };
}

async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port) {
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await delay(50);
  }
  throw new Error(`versitygw does not listen on ${port}`);
}
