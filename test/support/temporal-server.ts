import { freePort } from './free-port';
import { startServerProcess } from './server-process';
import { toolPath } from './tool-path';

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
  return {
    address: `127.0.0.1:${port}`,
    port,
    namespace: 'default',
    pid: server.pid,
    kill: (signal) => server.kill(signal),
    stop: () => server.kill('SIGTERM'),
  };
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
