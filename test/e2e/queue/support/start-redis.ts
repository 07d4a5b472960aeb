import { freePort } from '../../../support/free-port';
import { startServerProcess } from '../../../support/server-process';
import type { ServerProcess } from '../../../support/server-process';
import { toolPath } from '../../../support/tool-path';

export interface Redis extends Pick<ServerProcess, 'pid'> {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a Redis on loopback that writes nothing to disk. Resolves once it accepts connections. */
export async function startRedis(): Promise<Redis> {
  const port = await freePort();
  const listen = ['--bind', '127.0.0.1', '--port', String(port)];
  const inMemory = ['--save', '', '--appendonly', 'no'];
  const server = await startServerProcess(await toolPath('redis'), [...listen, ...inMemory], port);
  return { pid: server.pid, port, stop: () => server.kill('SIGTERM') };
}
