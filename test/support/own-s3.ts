import type { S3Options } from '../../simulator/options';
import { startS3Server } from './s3-server';
import { createTempDir } from './temp-dir';

/** An S3 server that a test may kill. */
export interface OwnS3 {
  /** For the simulator. */
  readonly options: S3Options;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its port and folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openOwnS3(): Promise<OwnS3> {
  const data = await createTempDir('s3');
  let server = await startS3Server({ dir: data.path });
  const { endpoint, accessKey, secretKey, region } = server;
  const port = Number(new URL(endpoint).port);
  return {
    options: { endpoint, accessKey, secretKey, region },
    kill: () => server.kill(),
    async restart() {
      server = await startS3Server({ dir: data.path, port });
    },
    async close() {
      await server.stop();
      await data.remove();
    },
  };
}
