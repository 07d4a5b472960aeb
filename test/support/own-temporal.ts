import { join } from 'node:path';
import { createTempDir } from './temp-dir';
import { startTemporalServer } from './temporal-server';

export type OwnServer = Awaited<ReturnType<typeof openOwnServer>>;

/** A Temporal server that a test may kill. */
export async function openOwnServer() {
  const data = await createTempDir('temporal');
  const dbFile = join(data.path, 'temporal.db');
  let server = await startTemporalServer({ dbFile });
  const { address, namespace, port } = server;
  return {
    address,
    namespace,
    /** Sends SIGKILL. */
    kill: () => server.kill('SIGKILL'),
    /** Starts it again on its port and database file. */
    async restart(): Promise<void> {
      server = await startTemporalServer({ port, dbFile });
    },
    async close(): Promise<void> {
      await server.stop();
      await data.remove();
    },
  };
}
