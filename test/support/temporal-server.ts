import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { freePort } from './free-port';
import { startServerProcess } from './server-process';
import { createTempDir } from './temp-dir';
import { toolPath } from './tool-path';
import { until } from './until';

const NAMESPACE = 'default';

interface TemporalServerOptions {
  /** Default: a free one. To replace a killed server, give its port. */
  readonly port?: number;
  /** Keeps everything across restarts. Default: a file of its own, which is removed when the server ends. */
  readonly dbFile?: string;
  /** Dynamic configuration, for example `matching.useNewMatcher=true`. */
  readonly dynamicConfig?: readonly string[];
}

export type TemporalServer = Awaited<ReturnType<typeof startTemporalServer>>;

/**
 * Starts a separate Temporal dev server on loopback. Resolves once it answers.
 *
 * Its data is always in a file: a call that ends early can leave the server's SQLite connection interrupted. The server
 * then opens a new one, and a database in memory would be gone.
 */
export async function startTemporalServer(options: TemporalServerOptions = {}) {
  const port = options.port ?? (await freePort());
  const own = options.dbFile === undefined ? await createTempDir('temporal') : undefined;
  const dbFile = options.dbFile ?? join(own?.path ?? '', 'temporal.db');
  const serve = ['server', 'start-dev', '--ip=127.0.0.1', '--log-level=error', '--headless'];
  const { dynamicConfig = [] } = options;
  const settings = dynamicConfig.map((setting) => `--dynamic-config-value=${setting}`);
  const args = [...serve, `--port=${port}`, `--db-filename=${dbFile}`, ...settings];
  const server = await startServerProcess(await toolPath('temporal-cli'), args, port);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await server.kill(signal);
    await own?.remove();
  };
  const address = `127.0.0.1:${port}`;
  await untilAnswering(address);
  return {
    /** `host:port` for clients and workers. */
    address,
    port,
    namespace: NAMESPACE,
    /** Sends the signal and resolves once the process is gone. */
    kill: end,
    /** Ends it cleanly. */
    stop: () => end('SIGTERM'),
  };
}

/**
 * The port opens before the server answers, and a client would wait ten seconds on its own. The second call needs the
 * namespace in two services: a server without processor time answers that it does not exist.
 */
async function untilAnswering(address: string): Promise<void> {
  const connection = Connection.lazy({ address });
  try {
    const refusal = (): Promise<unknown> =>
      connection.workflowService
        .describeNamespace({ namespace: NAMESPACE })
        .then(() =>
          connection.workflowService.describeTaskQueue({ namespace: NAMESPACE, taskQueue: { name: 'none' } }),
        )
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    await until(`Temporal answers at ${address}`, refusal, (refused) => refused === undefined);
  } finally {
    await connection.close();
  }
}
