import { freePort } from '../../../support/free-port';
import { startServerProcess } from '../../../support/server-process';
import { toolPath } from '../../../support/tool-path';

/** Starts a Redis on loopback that writes nothing to disk. Resolves once it accepts connections. */
export async function startRedis(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const listen = ['--bind', '127.0.0.1', '--port', String(port)];
  const inMemory = ['--save', '', '--appendonly', 'no'];
  const server = await startServerProcess(await toolPath('redis'), [...listen, ...inMemory], port);
  return { port, stop: () => server.kill('SIGTERM') };
}
