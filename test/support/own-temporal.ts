import { join } from 'node:path';
import { createTempDir } from './temp-dir';
import { startTemporalServer } from './temporal-server';

/** A Temporal server that a test may kill. */
export interface OwnServer {
  readonly address: string;
  readonly namespace: string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its port and database file. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openOwnServer(): Promise<OwnServer> {
  const data = await createTempDir('temporal');
  const dbFile = join(data.path, 'temporal.db');
  let server = await startTemporalServer({ dbFile });
  const { address, namespace, port } = server;
  return {
    address,
    namespace,
    kill: () => server.kill('SIGKILL'),
    async restart() {
      server = await startTemporalServer({ port, dbFile });
    },
    async close() {
      await server.stop();
      await data.remove();
    },
  };
}
