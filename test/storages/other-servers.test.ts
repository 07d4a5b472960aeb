import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../api/errors';
import { S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { systemClock } from '../../api/clock';
import type { MediaServiceError } from '../../api/errors';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { requestPart } from '../../api/upload/part/part-request';
import type { S3Options } from '../../simulator/options';
import { freePort } from '../support/free-port';
import type { OwnS3 } from '../support/own-s3';
import { startServerProcess, type ServerProcess } from '../support/server-process';
import { createTempDir } from '../support/temp-dir';
import { toolPath } from '../support/tool-path';
import { openDirectFixture, PART_BYTES } from '../unit/api/upload/direct-fixture';
import type { DirectFixture } from '../unit/api/upload/direct-fixture';
import { failureOf } from '../unit/api/upload/failure-of';

const [ACCESS_KEY, SECRET_KEY] = ['test-access', 'test-secret'];

/** S3 servers that nothing else here runs on, as a command over a folder and free ports. The first port is S3's. */
const SERVERS = {
  rclone: (folder: string, [port]: readonly number[]) => [
    ...['serve', 's3', '--config', '', '--addr', `127.0.0.1:${String(port)}`],
    ...['--auth-key', `${ACCESS_KEY},${SECRET_KEY}`, folder],
  ],
  seaweedfs: (
    folder: string,
    [s3, s3Rpc, master, masterRpc, volume, volumeRpc, filer, filerRpc]: readonly number[],
  ) => [
    ...['server', `-dir=${folder}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-master.telemetry=false'],
    ...[
      `-master.port=${String(master)}`,
      `-master.port.grpc=${String(masterRpc)}`,
      '-master.volumeSizeLimitMB=64',
    ],
    ...[`-volume.port=${String(volume)}`, `-volume.port.grpc=${String(volumeRpc)}`, '-volume.max=20'],
    ...['-filer', `-filer.port=${String(filer)}`, `-filer.port.grpc=${String(filerRpc)}`],
    ...[
      '-s3',
      `-s3.port=${String(s3)}`,
      `-s3.port.grpc=${String(s3Rpc)}`,
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
    ],
    `-s3.config=${join(folder, 's3.json')}`,
  ],
} as const;
type OtherServer = keyof typeof SERVERS;
const MAX_PORTS = 8;

/** Starts one of them on loopback. Killed and started again, it has the same ports and folder. */
async function openOtherS3(name: OtherServer): Promise<OwnS3> {
  const data = await createTempDir(name);
  await mkdir(join(data.path, 'media-service'));
  const credentials = [{ accessKey: ACCESS_KEY, secretKey: SECRET_KEY }];
  const identities = [{ name: 'test', credentials, actions: ['Admin', 'Read', 'Write', 'List'] }];
  await writeFile(join(data.path, 's3.json'), JSON.stringify({ identities }));
  const ports = await Promise.all(Array.from({ length: MAX_PORTS }, freePort));
  const [port = 0] = ports;
  const command = await toolPath(name);
  const start = (): Promise<ServerProcess> =>
    startServerProcess(command, SERVERS[name](data.path, ports), port);
  let server = await start();
  return {
    options: { endpoint: `http://127.0.0.1:${port}`, accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
    kill: () => server.kill('SIGKILL'),
    async restart() {
      server = await start();
    },
    async close() {
      await server.kill('SIGKILL');
      await data.remove();
    },
  };
}

const HOUR_MS = 3_600_000;

let s3: OwnS3;
let fixture: DirectFixture;

describe.each<OtherServer>(['rclone', 'seaweedfs'])('an upload to %s', (name) => {
  beforeEach(async () => {
    s3 = await openOtherS3(name);
    fixture = await openDirectFixture({ simulator: { s3: s3.options } });
  });
  afterEach(async () => {
    fixture.simulator.release();
    await fixture.close();
    await s3.close();
  });

  const film = (): Promise<{ path: string; sha256: string }> =>
    fixture.writeFile('film.mp4', 4 * PART_BYTES + 1234);

  async function storedSha256(uploadId: string): Promise<string> {
    const session = fixture.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
    return fixture.simulator.objectSha256(session?.keyName ?? '');
  }

  it('stores identical bytes, and each part once', async () => {
    const { path, sha256 } = await film();
    const { uploadId, parts, retries } = await fixture.upload(fixture.request(path));
    expect(await storedSha256(uploadId)).toBe(sha256);
    expect([retries, parts.map(({ verified }) => verified)]).toEqual([0, [true, true, true, true, true]]);
  });

  it('stores identical bytes, although the server is killed in the middle', async () => {
    const { path, sha256 } = await film();
    fixture.simulator.fault('hold:1:part=3');
    let onPartRetry = (): void => undefined;
    const failed = new Promise<void>((resolve) => (onPartRetry = resolve));
    const uploading = fixture.upload(fixture.request(path), { onPartRetry }).catch((error: unknown) => {
      // A server may keep its uploads in memory only.
      if (hasCode(error, 'SessionGone')) return fixture.upload(fixture.request(path));
      throw error;
    });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    await s3.kill();
    fixture.simulator.release();
    await failed;
    await s3.restart();
    const { uploadId } = await uploading;
    expect(await storedSha256(uploadId)).toBe(sha256);
    const { sessions } = fixture.simulator.seen();
    expect(sessions.filter(({ status }) => status === 'COMPLETED').map((one) => one.uploadId)).toEqual([
      uploadId,
    ]);
  });

  it('reports a URL that has ended, or has not begun, by the clock of the server', async () => {
    const past = await refusalOf(s3.options, Date.now() - 2 * HOUR_MS);
    const future = await refusalOf(s3.options, Date.now() + 2 * HOUR_MS);
    expect(past.code).toBe('UrlExpired');
    // SeaweedFS lets a URL begin early, and only misses the upload.
    const early = name === 'rclone' ? ['StorageRefused', false] : ['SessionGone', undefined];
    expect([future.code, future.facts.details?.['permanent']]).toEqual(early);
  });
});

/** The refusal of a part at a URL of an hour that was signed at this time, to a client whose clock is of no use. */
async function refusalOf(options: S3Options, signedAt: number): Promise<MediaServiceError> {
  const { endpoint, accessKey, secretKey } = options;
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  const command = new UploadPartCommand({ Bucket: 'media-service', Key: 'k', UploadId: 'u', PartNumber: 1 });
  const url = await getSignedUrl(client, command, { expiresIn: 3600, signingDate: new Date(signedAt) });
  const transport = createUndiciTransport();
  const reader = {
    async *read() {
      yield Buffer.from('part');
    },
  };
  const part = {
    partNumber: 1,
    offset: 0,
    bytes: 4,
    url,
    verifyMd5: true,
    stallMs: 60_000,
  };
  const hooks = { onBytes: () => undefined, signal: new AbortController().signal };
  try {
    return await failureOf(
      requestPart({ transport, reader, clock: { ...systemClock, now: () => 0 } }, part, hooks),
    );
  } finally {
    await transport.close();
    client.destroy();
  }
}
