import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { freePort } from './free-port';
import { startServerProcess } from './server-process';
import { toolPath } from './tool-path';

const NAMESPACE = 'default';
const RETRY_MS = 100;

export interface TemporalServerOptions {
  /** Default: a free one. Give the port of a server that was killed to put another in its place. */
  readonly port?: number;
  /** Keeps everything across restarts; without it all is lost with the process. */
  readonly dbFile?: string;
  /** Serve the web UI too, on port + 1000; default false. */
  readonly ui?: boolean;
  /** Dynamic configuration, as `matching.useNewMatcher=true`. */
  readonly dynamicConfig?: readonly string[];
}

export interface TemporalServer {
  /** `host:port` for clients and workers. */
  readonly address: string;
  readonly port: number;
  readonly namespace: string;
  readonly pid: number;
  /** Sends the signal and resolves once the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** Starts a Temporal dev server of its own on loopback; resolves once it is serving. */
export async function startTemporalServer(options: TemporalServerOptions = {}): Promise<TemporalServer> {
  const port = options.port ?? (await freePort());
  const server = await startServerProcess(await toolPath('temporal-cli'), argsOf(port, options), port);
  const address = `127.0.0.1:${port}`;
  await untilAnswering(address);
  return {
    address,
    port,
    namespace: NAMESPACE,
    pid: server.pid,
    kill: (signal) => server.kill(signal),
    stop: () => server.kill('SIGTERM'),
  };
}

/** The port is open before anybody behind it listens, and a client waits ten seconds alone. */
async function untilAnswering(address: string): Promise<void> {
  const connection = Connection.lazy({ address });
  try {
    for (;;) {
      const answer = await connection.workflowService
        .describeNamespace({ namespace: NAMESPACE })
        .catch(() => undefined);
      if (answer !== undefined) return;
      await pause(RETRY_MS);
    }
  } finally {
    await connection.close();
  }
}

function argsOf(port: number, { dbFile, ui = false, dynamicConfig = [] }: TemporalServerOptions): string[] {
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${port}`,
    '--log-level=error',
    ...(ui ? [`--ui-port=${port + 1000}`] : ['--headless']),
    ...(dbFile === undefined ? [] : [`--db-filename=${dbFile}`]),
    ...dynamicConfig.map((setting) => `--dynamic-config-value=${setting}`),
  ];
}
