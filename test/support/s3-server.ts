import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import { startServerProcess } from './server-process';
import { createTempDir } from './temp-dir';
import { toolPath } from './tool-path';

const ACCESS_KEY = 'test-access';
const SECRET_KEY = 'test-secret';
const REGION = 'us-east-1';

export interface S3Server {
  /** `http://127.0.0.1:<port>`, with path-style buckets. */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly pid: number;
  /** The folder in which each bucket is a folder and each object a file. */
  readonly objectDir: string;
  /** Sends SIGKILL and keeps the folder. */
  kill(): Promise<void>;
  /** Ends the server and removes its folder, unless the folder was given. */
  stop(): Promise<void>;
}

export interface S3ServerOptions {
  /** Stores the objects. Default: a new folder. */
  readonly dir?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** Starts a real S3 server on loopback. Resolves once it answers. */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const { dir } = options;
  const own = dir === undefined ? await createTempDir('s3') : undefined;
  const base = own?.path ?? dir ?? '';
  const objectDir = join(base, 'objects');
  const sidecarDir = join(base, 'attributes');
  await Promise.all([objectDir, sidecarDir].map((path) => mkdir(path, { recursive: true })));
  const port = options.port ?? (await freePort());
  const keys = ['--access', ACCESS_KEY, '--secret', SECRET_KEY, '--region', REGION];
  const serve = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive'];
  // Attributes are in files next to the objects, since not every temporary folder supports extended attributes.
  const store = ['posix', '--sidecar', sidecarDir, objectDir];
  const server = await startServerProcess(await toolPath('versitygw'), [...keys, ...serve, ...store], port);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    region: REGION,
    pid: server.pid,
    objectDir,
    kill: () => server.kill('SIGKILL'),
    async stop() {
      await server.kill('SIGTERM');
      await own?.remove();
    },
  };
}
