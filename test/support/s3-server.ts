import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port';
import { startServerProcess } from './server-process';
import { createTempDir } from './temp-dir';
import { toolPath } from './tool-path';

const ACCESS_KEY = 'test-access';
const SECRET_KEY = 'test-secret';
const REGION = 'us-east-1';

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

interface S3ServerOptions {
  /** Stores the objects. Default: a new folder. */
  readonly dir?: string;
  /** Default: a free port. */
  readonly port?: number;
}

/** Starts a real S3 server on loopback. Resolves once it answers. */
export async function startS3Server(options: S3ServerOptions = {}) {
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
    /** With path-style buckets. */
    endpoint: `http://127.0.0.1:${port}`,
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    region: REGION,
    /** The folder in which each bucket is a folder and each object a file. */
    objectDir,
    /** Sends SIGKILL and keeps the folder. */
    kill: () => server.kill('SIGKILL'),
    /** Ends the server and removes its folder, unless the folder was given. */
    async stop(): Promise<void> {
      await server.kill('SIGTERM');
      await own?.remove();
    },
  };
}
