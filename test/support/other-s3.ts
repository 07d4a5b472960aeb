import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import type { OwnS3 } from './own-s3';
import { startServerProcess, type ServerProcess } from './server-process';
import { createTempDir } from './temp-dir';
import { toolPath } from './tool-path';

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
export type OtherServer = keyof typeof SERVERS;
const MAX_PORTS = 8;

/** Starts one of them on loopback. Killed and started again, it has the same ports and folder. */
export async function openOtherS3(name: OtherServer): Promise<OwnS3> {
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
