import { once } from 'node:events';
import { createServer } from 'node:net';

/** A free port of this machine's loopback, as `host:port`. Temporal's core does not accept port 0. */
export async function freeLoopbackAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('No free port was found.');
  return `127.0.0.1:${String(address.port)}`;
}
